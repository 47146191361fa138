import { fileURLToPath } from "node:url";

/** The program and all that it imports as one module of plain JavaScript. Needs the bundler of the development install. */
export async function bundled(): Promise<string> {
  const { rolldown } = await import("rolldown");
  const input = fileURLToPath(new URL("./program-entry.ts", import.meta.url));
  const build = await rolldown({ input, platform: "node", logLevel: "silent" });
  try {
    const { output } = await build.generate({ format: "esm", minify: true, codeSplitting: false });
    return output[0].code;
  } finally {
    await build.close();
  }
}
