import { readFileSync } from "node:fs";

/** The version of this package, as its package.json says. It lies one folder up in a checkout, two in a built package. */
export const version: string = read("../package.json") ?? read("../../package.json") ?? "0.0.0";

function read(path: string): string | undefined {
  try {
    const { name, version: found } = JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")) as Record<
      string,
      string
    >;
    return name === "proving-ground" ? found : undefined;
  } catch {
    return undefined;
  }
}
