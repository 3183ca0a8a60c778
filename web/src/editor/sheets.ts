// CodeMirror writes its rules into a <style> element, which our content security policy forbids; in a shadow root it
// adopts a sheet made by script, which is allowed. So it is shown a shadow root first, and the document is given what it
// noted there.
import { StyleModule } from "style-mod";

export function adoptSheets(): void {
  const shadow = document.createElement("div").attachShadow({ mode: "open" });
  StyleModule.mount(shadow, new StyleModule({}));
  for (const note of Object.getOwnPropertySymbols(shadow)) {
    Object.defineProperty(document, note, Object.getOwnPropertyDescriptor(shadow, note) ?? {});
  }
}
