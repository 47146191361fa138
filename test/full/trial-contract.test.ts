import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Invoke, invoker, startApp, type TestApp } from "../helpers/app.ts";
import { runToEnd, type ShopOrg, shopIn } from "../tools/runs/kit.ts";

const page = readFileSync(new URL("../../docs/trial-contract.md", import.meta.url), "utf8");
const folder = mkdtempSync(join(tmpdir(), "contract-"));
let app: TestApp;
let invoke: Invoke;
let shop: ShopOrg;

beforeAll(async () => {
  app = await startApp();
  const org = await app.org();
  invoke = invoker(app, "rest", org);
  shop = await shopIn(app.service, org.id, 3);
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The page's agent in this language, as it stands there. */
function agentOf(language: string): string {
  const block = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1];
  if (!block) throw new Error(`the page has no agent in ${language}`);
  return block;
}

it.each([
  ["js", "agent.mjs", process.execPath],
  ["python", "agent.py", "python3"],
  ["sh", "agent.sh", "/bin/sh"],
])(
  "the agent that the page shows in %s plays its trials: it calls the world and answers every turn",
  async (language, file, program) => {
    const source = agentOf(language);
    expect(source.trimEnd().split("\n").length).toBeLessThanOrEqual(11);
    const path = join(folder, file);
    writeFileSync(path, source);
    const made = await invoke("agents_post", { kind: "command", name: language, command: [program, path] });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const { group } = await runToEnd(invoke, { agent: made.body.agent.id, environment: shop.environment });
    const { rates, environments, ledger } = (await invoke("run_group", { gid: group })).body;
    expect(rates, JSON.stringify(ledger)).toMatchObject({ valid: 3, infra: 0, invalid: 0 });
    const { tree } = (await invoke("run_trace", { rid: environments[0].run })).body;
    expect(tree.cause, tree.log).toBe("checks");
    expect(tree.calls).toHaveLength(1);
    expect(tree.answers[0].text).toContain(`${tree.request}: `);
  },
);

it("the page tells every end, variable and answer class that there is", () => {
  for (const word of ["met", "failed", "infra", "invalid", "answered", "said_no_data", "refused", "none"])
    expect(page).toContain(`\`${word}\``);
});
