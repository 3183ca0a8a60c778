// Whenever a network has been compiled, its certificate is asked for: it is part of what a network is.
import { certificate, compiled } from "../store";
import { debounce, Latest, stream } from "./request";
import type { FormatCertificate } from "./types";

type Line = { type: "start" } | ({ type: "format" } & FormatCertificate) | { type: "done" };

const kFormats = ["f64", "f32", "bf16", "f16"];
const latest = new Latest();

async function certifyNow(): Promise<void> {
  const network = compiled.get();
  if (!network) return;
  await latest.run(async (signal) => {
    for await (const line of stream<Line>("/api/certify", { model: network.model, formats: kFormats }, signal)) {
      if (signal.aborted) return;
      if (line.type === "format") certificate.set(new Map(certificate.get()).set(line.format, line));
    }
  });
}

export function certifyAlways(): void {
  const soon = debounce(300, () => {
    certifyNow().catch(() => undefined);
  });
  compiled.on(() => {
    latest.stop();
    soon();
  });
}
