import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { AgentProcess } from "../../src/agents/agent-process.ts";
import { Sandbox } from "../../src/agents/isolation/sandbox.ts";
import { DEFAULT_ISOLATION } from "../../src/agents/isolation/settings.ts";

// Not below `/tmp`, which every sandbox has to itself.
const system = mkdtempSync("/var/tmp/system-");
afterAll(() => rmSync(system, { recursive: true, force: true }));

it("a sandbox begins, and shows no secret, where files that it hid have gone and its data folder's parent is private", async () => {
  const data = join(system, "own", "data");
  const tree = join(data, "agents", "tree");
  mkdirSync(join(system, "own"), { mode: 0o700 });
  mkdirSync(tree, { recursive: true });
  const keys = [join(system, "rotated.key"), join(system, "key"), join(data, "store.db")];
  for (const key of keys) writeFileSync(key, "secret", { mode: 0o600 });
  writeFileSync(join(tree, "shown"), "of the agent");
  const sandbox = await Sandbox.open(
    { ...DEFAULT_ISOLATION, mode: "bubblewrap" },
    { folders: [data], areas: ["/tmp"], searched: [system] },
  );
  if (typeof sandbox === "string") throw new Error(sandbox);
  try {
    rmSync(keys[0] ?? "");
    const look = `cat shown; cat ${keys.join(" ")} 2>/dev/null; ls ${data}; touch ${data}/left 2>/dev/null && echo left`;
    const command = ["/bin/sh", "-c", look];
    const named = { command, env: {} };
    const agent = await AgentProcess.start(sandbox.start({ command, env: {}, named, tree }));
    agent.endInput();
    expect(await agent.whole(), agent.stderr).toBe("of the agentagents");
    await agent.exit();
  } finally {
    sandbox.close();
  }
});
