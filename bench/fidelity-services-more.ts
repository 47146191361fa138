import type { Measured } from "./fidelity-services-worker.ts";

const percent = (share: number): string => (100 * share).toFixed(1).padStart(6);
const sizeOf = ({ draw }: Pick<Measured, "draw">): "full" | "small" => (draw === undefined ? "full" : "small");

/** What answers promised and what they came to, by tenth of confidence, each training size for itself. */
export function calibrationLines(measured: readonly Measured[]): string[] {
  return [...Map.groupBy(measured, sizeOf)].flatMap(([size, own]) => {
    const tenths = new Map<number, { n: number; promised: number; met: number }>();
    for (const { promised, met, n } of own.flatMap(({ splits }) =>
      Object.values(splits).flatMap(({ calibration }) => calibration),
    )) {
      const tenth = Math.min(9, Math.floor(10 * promised));
      const at = tenths.get(tenth) ?? { n: 0, promised: 0, met: 0 };
      tenths.set(tenth, { n: at.n + n, promised: at.promised + n * promised, met: at.met + n * met });
    }
    if (tenths.size === 0) return [];
    return [
      "",
      `calibration, ${size} training: % promised and % met by tenth of confidence, all answers that promise one`,
      ...[...tenths]
        .sort(([a], [b]) => a - b)
        .map(
          ([, { n, promised, met }]) => `${percent(promised / n)} ${percent(met / n)} ${String(n).padStart(7)} answers`,
        ),
    ];
  });
}

/** How worlds replay their own sessions: with all layers, and with no memory of what sessions were answered. */
export function selfReplayLines(measured: readonly Measured[]): string[] {
  const lines = measured.flatMap(({ service, draw, self_replay: own, without_memory: bare }) =>
    own === undefined || bare === undefined
      ? []
      : [
          [
            `  ${service}${draw === undefined ? "" : ` draw ${draw}`}`.padEnd(45),
            percent(own.identical_volatile / own.calls),
            percent(own.wrong_answer / own.calls),
            "|",
            percent(bare.identical_volatile / bare.calls),
            percent(bare.wrong_answer / bare.calls),
            "|",
            String(own.contradictions).padStart(4),
          ].join(" "),
        ],
  );
  return ["", "self-replay: % same and wrong | without memory | calls that evidence contradicts", ...lines];
}

/** Utility by number of sessions, over nested seeded subsets: its mean over the draws with twice its standard error. */
export function monotonyLines(measured: readonly Measured[], utilityOf: (one: Measured) => number): string[] {
  const lines: string[] = [];
  let falls = 0;
  for (const [service, own] of Map.groupBy(measured, ({ service }) => service)) {
    const steps = [...Map.groupBy(own, ({ trained }) => trained)].sort(([a], [b]) => a - b);
    const of = (some: readonly Measured[]) => new Map(some.map((one) => [one.draw, utilityOf(one)]));
    let before: ReadonlyMap<number | undefined, number> | undefined;
    const cells = steps.map(([trained, some]) => {
      const values = of(some);
      const { mean, error } = meanAndError([...values.values()]);
      // The draws are nested, so that a step is compared draw by draw; all sessions are one draw beside each.
      const all = values.size === 1 ? [...values.values()][0] : undefined;
      const gains = [...(before ?? [])].flatMap(([draw, was]) => {
        const now = values.get(draw) ?? all;
        return now === undefined ? [] : [now - was];
      });
      const gain = meanAndError(gains);
      const fell = gains.length > 1 && gain.mean < -2 * gain.error;
      if (fell) falls++;
      before = values;
      return `${trained}: ${percent(mean)} ± ${percent(2 * error).trim()}${fell ? " falls" : ""}`;
    });
    lines.push(`  ${service.padEnd(30)} ${cells.join("   ")}`);
  }
  return ["", `utility by number of sessions, nested, ± 2 standard errors; steps that surely fall: ${falls}`, ...lines];
}

/** A mean and its standard error; no error of a single value. */
function meanAndError(values: readonly number[]): { readonly mean: number; readonly error: number } {
  const n = Math.max(1, values.length);
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, error: n < 2 ? 0 : Math.sqrt(squares / (n - 1) / n) };
}
