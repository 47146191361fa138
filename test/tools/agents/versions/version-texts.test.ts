import { expect } from "vitest";
import { bothSurfaces } from "../../../helpers/app.ts";

bothSurfaces(
  "skills and tool texts are kept on a version with how they differ from the version before",
  async (invoke, { org }) => {
    const { id: aid } = (await invoke("agents_post", { kind: "command", name: "bot", command: "x" })).body.agent;
    await invoke("agent_versions_post", { aid, version: "v2/beta" });
    const skills = (version: string, items: object[], as = org.push) =>
      invoke("agent_version_skills", { aid, version, items, by: "ann" }, as);
    const first = await skills("1", [
      { name: "refunds", text: "Ask for the order first. sk-not-shown" },
      { name: "tone", text: "Be brief." },
    ]);
    expect(first).toMatchObject({
      status: 200,
      body: { version: "1", same: false, skills: { added: ["refunds", "tone"], removed: [], changed: [], by: "ann" } },
    });
    expect(first.body.skills).not.toHaveProperty("before");
    expect(JSON.stringify(first.body)).not.toContain("sk-not-shown");
    const again = await skills("1", [
      { name: "tone", text: "Be brief." },
      { name: "refunds", text: "Ask for the order first. sk-not-shown" },
    ]);
    expect(again.body).toMatchObject({ same: true, skills: { digest: first.body.skills.digest } });

    const second = await skills("v2/beta", [
      { name: "tone", text: "Be brief and kind." },
      { name: "returns", text: "New." },
    ]);
    expect(second.body.skills).toMatchObject({
      before: "1",
      added: ["returns"],
      removed: ["refunds"],
      changed: ["tone"],
    });
    expect((await skills("v2/beta", [{ name: "tone", text: "Be brief." }])).body.skills).toMatchObject({
      added: [],
      removed: ["refunds"],
      changed: [],
    });

    const texts = await invoke("agent_version_tool_texts", {
      aid,
      version: "1",
      items: [{ name: "t", text: "Reads." }],
    });
    expect(texts.body).toMatchObject({ same: false, tool_texts: { added: ["t"], items: [{ name: "t", chars: 6 }] } });
    const { versions } = (await invoke("agents_get", { aid }, org.read)).body.agent;
    expect(versions[0]).toMatchObject({ skills: { items: [{ name: "refunds" }, { name: "tone" }] }, tool_texts: {} });
    expect(versions[1]).not.toHaveProperty("tool_texts");

    expect(
      await skills("1", [
        { name: "a", text: "1" },
        { name: "a", text: "2" },
      ]),
    ).toMatchObject({
      status: 400,
      body: { fields: [{ path: "items[1].name" }] },
    });
    expect((await skills("1", [])).status).toBe(400);
    expect((await skills("9", [{ name: "a", text: "1" }])).status).toBe(404);
    expect((await skills("1", [{ name: "a", text: "1" }], org.read)).status).toBe(403);
  },
);
