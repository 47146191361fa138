import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";
import { ended, ok } from "../sandboxes/kit.ts";
import { TOKEN, trial } from "./kit.ts";

// Findings A6 and A8.
bothSurfaces("evidence joins only a source that is there and was not declined, and names it", async (invoke) => {
  const { id: source } = (
    await ok(invoke("sources_post", { kind: "upload", external_id: "files", label: "Support desk" }))
  ).body;
  const content = [trial(1, 1)];
  expect((await invoke("evidence_post", { content, source: "src_nope" })).status).toBe(404);
  await ok(invoke("sources_patch", { sid: source, consent: "declined" }));
  const declined = await invoke("evidence_post", { content, source });
  expect([declined.status, declined.body.reason]).toEqual([409, expect.stringContaining("declined")]);
  expect((await invoke("evidence_list")).body.evidence).toEqual([]);
  await ok(invoke("sources_patch", { sid: source, consent: "granted" }));
  const { body } = await ok(invoke("evidence_post", { content, source }));
  expect(body).toMatchObject({ source, source_name: "Support desk", derive: "due" });
  expect((await invoke("evidence_list")).body.evidence[0].source_name).toBe("Support desk");
  const pass = (await ok(invoke("after_ingest_post"))).body;
  await ended(invoke, pass.job);
  const after = (await invoke("evidence_get", { eid: body.id })).body;
  expect([after.source_name, after.derive, after.job]).toEqual(["Support desk", "done", undefined]);
});

// Finding A8: here nothing runs, so that the pass waits.
bothSurfaces(
  "a record names the pass that is to look through it",
  async (invoke) => {
    const { id } = (await ok(invoke("evidence_post", { content: [trial(1, 1)] }))).body;
    const { job } = (await ok(invoke("after_ingest_post"))).body;
    expect((await ok(invoke("evidence_get", { eid: id }))).body).toMatchObject({ derive: "due", job });
    // What comes while it waits is told of it at once.
    expect((await ok(invoke("evidence_post", { content: [trial(2, 1)] }))).body).toMatchObject({ derive: "due", job });
  },
  { jobs: false },
);

const document = (description: string) => ({
  swagger: "2.0",
  info: { title: "Chat", version: "1" },
  paths: {
    "/post": {
      post: {
        operationId: "post_message",
        description,
        parameters: [{ name: "token", in: "query", type: "string", "x-example": TOKEN }],
        responses: { 200: { description: "ok", examples: { "application/json": { token: TOKEN } } } },
      },
    },
    "/list": { get: { operationId: "list_channels", responses: { 200: { description: "ok" } } } },
  },
});

// Findings A7 and A34.
bothSurfaces("an interface is read without its examples that hold secrets", async (invoke) => {
  for (const content of [document("Posts."), toYaml(document("Posts."))]) {
    const { body } = await ok(invoke("evidence_post", { content, kind: "tool_listing" }));
    expect(body).toMatchObject({ format: "openapi", admitted: 2, stats: { losses: { example_with_secret: 2 } } });
    expect(JSON.stringify((await invoke("evidence_get", { eid: body.id })).body)).not.toContain(TOKEN);
  }
  const refused = await invoke("evidence_post", { content: document(`Use ${TOKEN}.`) });
  expect([refused.status, refused.body.reason]).toEqual([422, expect.stringContaining("holds a secret")]);
});

/** The same document as YAML that is no JSON. */
function toYaml(value: object): string {
  return `# an interface\nswagger: "2.0"\n${Object.entries(value)
    .slice(1)
    .map(([key, inner]) => `${key}: ${JSON.stringify(inner)}`)
    .join("\n")}\n`;
}
