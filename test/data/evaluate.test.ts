import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { EvaluationReport } from "../../src/evaluate/report.ts";
import { runSvc } from "../helpers/process.ts";

const DATA = join(process.env.SVC_DATA ?? "", "dev");

/** `svc evaluate` on a folder of real traces, as a process of its own with a data folder of its own. */
async function evaluate(domain: string): Promise<EvaluationReport> {
  const at = mkdtempSync(join(tmpdir(), `evaluate-${domain}-`));
  try {
    const args = ["evaluate", join(DATA, domain), "--json", "--out", join(at, "out")];
    const { code, stdout, stderr } = await runSvc(args, { SVC_DATA_DIR: join(at, "data") });
    if (code !== 0 && code !== 3) throw new Error(`svc evaluate ended with ${code}: ${stderr}`);
    const report = JSON.parse(stdout) as EvaluationReport;
    // 3 where the world is below its recording or answers fewer than half of the held-out calls, and nowhere else.
    expect(code).toBe(report.warnings.some(({ serious }) => serious) ? 3 : 0);
    return report;
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
}

describe.each(["airline", "retail"])("%s", (domain) => {
  let first: EvaluationReport;
  let second: EvaluationReport;
  beforeAll(async () => {
    expect(existsSync(DATA), "set SVC_DATA to the folder that holds dev/").toBe(true);
    first = await evaluate(domain);
    second = await evaluate(domain);
    const { tasks, heldOut, bundle, seconds } = first;
    const facts = { domain, tasks, heldOut: heldOut?.counts, gaps: bundle.gaps.map((gap) => gap.tool), seconds };
    console.log(JSON.stringify(facts));
  });

  it("gives at least 20 certified tasks over at least 6 families", () => {
    const { certified, families } = first.tasks;
    expect(certified).toBeGreaterThanOrEqual(20);
    expect(Object.keys(families).length, JSON.stringify(families)).toBeGreaterThanOrEqual(6);
    expect(Object.values(families).reduce((sum, n) => sum + n, 0)).toBe(certified);
  });

  it("reference meets all, null none", () => {
    const n = first.tasks.certified;
    for (const report of [first, second]) {
      const by = Object.fromEntries(report.runs.map((run) => [run.name, run]));
      expect(by.reference).toMatchObject({ met: n, valid: n, infra: 0, invalid: 0 });
      expect(by.null).toMatchObject({ met: 0, valid: n, infra: 0, invalid: 0 });
    }
  });

  it("every check of a certified task rejects what is wrong and spares what is right", () => {
    const { health } = first.tasks;
    expect(health?.mutants).toBeGreaterThan(first.tasks.certified);
    expect(health).toMatchObject({ rejected: health?.mutants, spared: health?.equals });
  });

  it("gives the same bundle, draw and tasks twice, byte for byte", () => {
    expect(second.bundle.digest).toBe(first.bundle.digest);
    expect(second.environment?.base_digest).toBe(first.environment?.base_digest);
    expect(second.environment?.tasks_digest).toBe(first.environment?.tasks_digest);
    expect(second.tasks).toEqual(first.tasks);
    expect(second.heldOut).toEqual(first.heldOut);
    const counted = ({ runs }: EvaluationReport) => runs.map(({ name, met, valid }) => ({ name, met, valid }));
    expect(counted(second)).toEqual(counted(first));
  });
});
