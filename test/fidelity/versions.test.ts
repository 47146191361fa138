import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { svcHere } from "../cli/svc-here.ts";
import { doorTrace, session, type Used } from "./recorded-session.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-fidelity-versions-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("sets the older of two versions of the system aside, and says what changed", async () => {
  const file = (name: string, content: string) => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  const door = (month: string, at: number, state: string) =>
    Array.from({ length: 6 }, (_, n) => {
      const looks = [n, (n + 1) % 6].map((i): Used => {
        const shown = { door_id: `D-10${i}`, state, seen: `2025-0${at}-0${n + 1}T08:00:00Z` };
        return ["get_door", { door_id: shown.door_id }, JSON.stringify(shown)];
      });
      return session(`${month}-${n}`, "Look.", looks);
    }).join("\n");
  const [may, june] = [
    file("may.jsonl", door("may", 5, "open")),
    file("june.jsonl", `${door("june", 6, "shut")}\n${doorTrace(90)}`),
  ];
  const { code, stdout, stderr } = await svcHere(["fidelity", "--train", may, june, "--test", june, "--json"], {});
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toContain(
    "6 traces of an older version of the system were set aside: get_door answers 6 of 6 questions differently (/state)",
  );
  expect(JSON.parse(stdout)).toMatchObject({
    set_aside: 6,
    changed_tools: [{ tool: "get_door", asked: 6, differ: 6 }],
  });
});
