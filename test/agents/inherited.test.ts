import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "inherited-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Further than the first sixteen, which Node keeps to itself. */
const LEFT_OPEN = 251;

/** An agent that tells which descriptors it has, and tries to write to what it was left; Linux tells them. */
const AGENT = `read turn; given=""
for f in /proc/self/fd/*; do [ -e "$f" ] && given="$given \${f##*/}"; done
echo by the agent 2>/dev/null >/proc/self/fd/${LEFT_OPEN}
echo "{\\"answer\\": \\"$given\\"}"`;

/** A service whose starter left a file open, and which plays a trial. */
const SERVICE = (mode: string) => `
import { createLauncher } from "${new URL("../../src/agents/launcher.ts", import.meta.url)}";
import { DEFAULT_ISOLATION } from "${new URL("../../src/agents/isolation/settings.ts", import.meta.url)}";
const isolation = { ...DEFAULT_ISOLATION, mode: "${mode}" };
const launcher = createLauncher({ dataDir: process.argv[1], commandsAllowed: true, privateAddressesAllowed: true, isolation });
const command = ["/bin/sh", "-c", process.argv[2]];
const brief = { trial: "t", turns: ["hello"], mcpUrl: "http://127.0.0.1:1/mcp", mcpToken: "svc_world_x", timeoutSeconds: 600 };
const target = { kind: "command", adapter: "svc", command, env: {} };
const conduct = await launcher.run(target, async () => brief, new AbortController().signal);
await launcher.close();
console.log(conduct.answers[0]?.text ?? JSON.stringify(conduct));
`;

// Finding S10.
it.runIf(process.platform === "linux").each(["none", "auto"])(
  "a trial has the three standard streams alone, whatever the service's starter left open (isolation %s)",
  async (mode) => {
    const file = join(folder, mode);
    const left = openSync(file, "w");
    const stdio = ["ignore" as const, "pipe" as const, "inherit" as const];
    const none = Array.from({ length: LEFT_OPEN - stdio.length }, () => "ignore" as const);
    const args = ["--input-type=module-typescript", "-e", SERVICE(mode), folder, AGENT];
    const service = spawn(process.execPath, args, { stdio: [...stdio, ...none, left] });
    closeSync(left);
    let said = "";
    service.stdout?.on("data", (chunk: Buffer) => {
      said += chunk.toString("utf8");
    });
    await once(service, "close");
    expect(said.trim()).toBe("0 1 2");
    expect(readFileSync(file, "utf8")).toBe("");
  },
);
