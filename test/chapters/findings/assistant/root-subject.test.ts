import { expect, it } from "vitest";
import { subjectGroup, subjectPair } from "../../../../chapters/findings/assistant/root-subject.ts";

it("a version is named without the digest of its command, as evaluate labels it", async () => {
  const group = (n: number, version: string) => ({
    group: `rg_${n}`,
    status: "landed",
    player: { name: "desk agent", version, harness: null },
    environments: [{ run: `run_${n}`, environment: "env_1" }],
    counts: { met: 1, failed: 1 },
  });
  const groups = [group(2, "2.8bdb8665"), group(1, "1.ffce7794")];
  const ask = async () => ({ status: 200, body: { groups } });
  for (const [text, run] of [
    ["What did version 1 score?", "run_1"],
    ["What did version 1.ffce7794 score?", "run_1"],
    ["What did desk agent 2 score?", "run_2"],
    ["What did it score?", "run_2"],
  ] as const)
    expect((await subjectGroup(ask, text))?.run, text).toBe(run);
});

it("a harness is named as a player or as what an agent is based on", async () => {
  const environments = [{ run: "run_1", environment: "env_1" }];
  const counts = { met: 1, failed: 1 };
  const of = (group: string, player: object) => ({ group, status: "landed", player, environments, counts });
  const groups = [
    of("rg_3", { name: "desk agent", version: "2", harness: null }),
    of("rg_2", { name: "desk agent", version: "1", harness: null }),
    of("rg_1", { name: "rule", version: null, harness: "rule" }),
  ];
  const ask = async () => ({ status: 200, body: { groups } });
  for (const text of ["Does version 2 beat the rule-based player?", "is v2 better than the rule player"])
    expect(
      (await subjectPair(ask, text))?.map(({ group }) => group),
      text,
    ).toEqual(["rg_1", "rg_3"]);
});
