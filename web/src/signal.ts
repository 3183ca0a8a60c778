// A value and those who want to know when it changes.

export class Signal<T> {
  #value: T;
  readonly #listeners: ((now: T, before: T) => void)[] = [];

  constructor(value: T) {
    this.#value = value;
  }

  get(): T {
    return this.#value;
  }

  set(value: T): void {
    const before = this.#value;
    if (Object.is(before, value)) return;
    this.#value = value;
    for (const listener of this.#listeners) listener(value, before);
  }

  /// Told of every change from now on.
  on(listener: (now: T, before: T) => void): void {
    this.#listeners.push(listener);
  }

  /// Told at once, and of every change.
  now(listener: (now: T) => void): void {
    listener(this.#value);
    this.on(listener);
  }
}
