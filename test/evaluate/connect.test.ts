import { expect, it } from "vitest";
import type { Api } from "../../src/evaluate/api.ts";
import { connect } from "../../src/evaluate/stages.ts";
import { invoker, startApp } from "../helpers/app.ts";
import { ok } from "../tools/sandboxes/kit.ts";

it("an evaluation's agents have versions that people can read, and the same command is the same version", async () => {
  const app = await startApp();
  try {
    const invoke = invoker(app, "rest", await app.org());
    const api: Api = {
      call: async (name, args) => (await ok(invoke(name, args))).body,
      send: () => {
        throw new Error("no file is sent");
      },
    };
    const version = async (name: string, command: string[], label?: string, env: Record<string, string> = {}) => {
      const playing = await connect(api, name, { name, command, env }, label);
      return "agent_version" in playing ? playing.agent_version : undefined;
    };
    expect(await version("mine", ["node", "a.js"])).toBe("1");
    expect(await version("mine", ["node", "b.js"])).toBe("2");
    expect(await version("mine", ["node", "a.js"])).toBe("1");
    expect(await version("mine", ["node", "b.js"])).toBe("2");
    // Values of an environment are sealed, and tell versions apart all the same.
    expect(await version("mine", ["node", "b.js"], undefined, { KEY: "x" })).toBe("3");
    expect(await version("mine", ["node", "b.js"], undefined, { KEY: "y" })).toBe("4");
    expect(await version("mine", ["node", "b.js"], undefined, { KEY: "x" })).toBe("3");
    // A sample that moved keeps its older versions, whose label stays theirs.
    expect([await version("desk", ["a"], "1"), await version("desk", ["b"], "2")]).toEqual(["1", "2"]);
    expect([await version("desk", ["a"], "1"), await version("desk", ["b"], "2")]).toEqual(["1", "2"]);
    expect([await version("desk", ["c"], "1"), await version("desk", ["c"], "1")]).toEqual(["3", "3"]);
  } finally {
    await app.close();
  }
});
