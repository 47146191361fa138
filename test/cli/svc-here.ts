import { main } from "../../src/cli.ts";
import { threads } from "../../src/service/service.ts";
import { cleanEnv } from "../helpers/child.ts";
import { sharedCompute } from "../helpers/run/compute.ts";

/**
 * `svc` to its end as `runSvc` runs it, in this process: no start to wait for, what was compiled is warm, and what earlier
 * tests computed is answered. One at a time, for commands that read nothing from standard input and are ended by no signal.
 */
export async function svcHere(args: readonly string[], env: Record<string, string>) {
  const { stdout, stderr } = process;
  const before = { env: process.env, code: process.exitCode, out: stdout.write, err: stderr.write };
  const { create } = threads;
  const said = { stdout: "", stderr: "" };
  const keep =
    (name: keyof typeof said): typeof stdout.write =>
    (chunk: string | Uint8Array, ...rest: unknown[]) => {
      said[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      const done = rest.at(-1);
      if (typeof done === "function") done();
      return true;
    };
  process.env = cleanEnv(env);
  process.exitCode = 0;
  threads.create = sharedCompute;
  stdout.write = keep("stdout");
  stderr.write = keep("stderr");
  try {
    await main(args);
    return { code: Number(process.exitCode), ...said };
  } finally {
    threads.create = create;
    stdout.write = before.out;
    stderr.write = before.err;
    process.env = before.env;
    process.exitCode = before.code;
  }
}
