import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, it } from "vitest";
import { startApp } from "../helpers/app.ts";
import { cleanEnv } from "../helpers/child.ts";
import { BIN } from "../helpers/process.ts";

type Answer = { action: "accept"; content: { confirm: boolean } } | { action: "decline" };
interface Called {
  readonly text: string;
  readonly isError: boolean;
}

/** A person at a client: what was asked of them, and what they answer next. */
class Person {
  readonly asked: string[] = [];
  answer: Answer = { action: "decline" };
  readonly ask = async ({ params }: { params: { message: string } }) => {
    this.asked.push(params.message);
    return this.answer;
  };
}

/** Deletes a member as a client does: declined, then agreed to; and what is destructive in nothing else is not asked about. */
async function walk(call: (name: string, args: Record<string, unknown>) => Promise<Called>, person: Person) {
  const posted = JSON.parse((await call("members_post", { email: "a@example.com", name: "A" })).text);
  const mid: string = posted.body.id ?? posted.body.member;
  expect(person.asked).toEqual([]);
  const declined = await call("members_delete", { mid });
  expect(declined).toMatchObject({ isError: true, text: expect.stringContaining("nothing was done") });
  expect(person.asked).toEqual([expect.stringContaining("members_delete")]);
  expect((await call("members_list", {})).text).toContain("a@example.com");
  person.answer = { action: "accept", content: { confirm: false } };
  expect((await call("members_delete", { mid })).isError).toBe(true);
  person.answer = { action: "accept", content: { confirm: true } };
  expect((await call("members_delete", { mid })).isError).toBe(false);
  expect(person.asked).toHaveLength(3);
  expect((await call("members_list", {})).text).not.toContain("a@example.com");
}

const told = (result: unknown): Called => {
  const { content, isError } = result as { content: { text: string }[]; isError?: boolean };
  return { text: content[0]?.text ?? "", isError: isError === true };
};

// Finding E59: elicitation.
it("asks the person before a destructive call, as a result of the revision of 2026", async () => {
  const app = await startApp({ jobs: false });
  try {
    const org = await app.org();
    const person = new Person();
    const client = new ModernClient(
      { name: "modern", version: "1" },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
    );
    client.setRequestHandler("elicitation/create", person.ask as never);
    const headers = { authorization: `Bearer ${org.admin}` };
    await client.connect(new ModernTransport(new URL(`${app.url}/mcp`), { requestInit: { headers } }));
    await walk(async (name, args) => told(await client.callTool({ name, arguments: args })), person);
    await client.close();

    // A client that cannot ask calls as before.
    const plain = await app.mcp(org.admin);
    expect((await plain.call("members_delete", { mid: "mem_unknown" })).status).toBe(404);
  } finally {
    await app.close();
  }
});

it.each([[[]], [["stdio", "--toolset", "core"]]])("asks the person over stdio, svc %j", async (args) => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-confirm-"));
  const person = new Person();
  const client = new Client({ name: "v1", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, person.ask as never);
  const env = cleanEnv({ SVC_DATA_DIR: dataDir });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [BIN, ...args], env, stderr: "ignore" }),
  );
  try {
    const core = args.length > 0;
    await walk(async (name, given) => {
      const via = name.endsWith("_list") ? "read_operation" : "call_operation";
      const through = { name, arguments: given, ...(name.endsWith("_delete") ? { confirm: name } : {}) };
      const asked = core ? { name: via, arguments: through } : { name, arguments: given };
      return told(await client.callTool(asked));
    }, person);
  } finally {
    await client.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
