// The state as the fragment of a link: what differs from the default, as JSON in base64url. A fragment never leaves the
// browser, and one that was tampered with does no more than be ignored where it makes no sense.
import { kDefault, kKinds, kStages, kTabs, type Patch, type State } from "./state";

const kMark = "#s=";

function toBase64Url(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function fromBase64Url(text: string): string {
  const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return new TextDecoder().decode(Uint8Array.from(bytes, (c) => c.charCodeAt(0)));
}

export function encode(state: State): string {
  const kept = Object.entries(state).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(kDefault[name as keyof State]),
  );
  return kMark + toBase64Url(JSON.stringify(Object.fromEntries(kept)));
}

function isPatch(value: unknown): value is Patch {
  const p = value as Patch;
  return (
    typeof p === "object" && p !== null && [p.tenant, p.position, p.value].every(Number.isFinite)
  );
}

/// Whether a value found in a link can stand for this field.
function fits(name: keyof State, value: unknown): boolean {
  switch (name) {
    case "ablate":
      return Array.isArray(value) && value.every((v) => typeof v === "string");
    case "patch":
      return Array.isArray(value) && value.every(isPatch);
    case "gamma":
    case "length":
    case "depth":
      return value === null || Number.isFinite(value);
    default:
      return typeof value === typeof kDefault[name];
  }
}

const kChoices: Partial<Record<keyof State, readonly string[]>> = {
  kind: kKinds,
  tab: kTabs,
  stage: kStages,
};

/// What a fragment says; null if it says nothing.
export function decode(fragment: string): State | null {
  if (!fragment.startsWith(kMark)) return null;
  try {
    const said: unknown = JSON.parse(fromBase64Url(fragment.slice(kMark.length)));
    if (typeof said !== "object" || said === null) return null;
    const fields = Object.entries(said).filter(([name, value]) => {
      const field = name as keyof State;
      const choices = kChoices[field];
      return name in kDefault && fits(field, value) && (!choices || choices.includes(value as string));
    });
    return { ...kDefault, ...Object.fromEntries(fields) };
  } catch {
    return null;
  }
}
