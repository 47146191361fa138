import type { Ctx } from "../../../chapters/context.ts";
import { minuteOf } from "../../../chapters/findings/pages/words.ts";
import { BundleRecord, Surface } from "../../../chapters/records/sandboxes/sandboxes.ts";
import type { TrendValue } from "../../pages/trend.ts";
import { CONSOLE } from "../frame.ts";

/** Compiled versions that are shown, and systems that can be chosen. */
const VERSIONS = 24;
const SYSTEMS = 200;
interface FidelityTrend {
  readonly systems: readonly { readonly id: string; readonly name: string }[];
  readonly shown?: string;
  readonly name: string;
  readonly marks: readonly TrendValue[];
}

/** How each compiled version of a system answered calls that it was not compiled from; of the newest system where none is named. */
export async function fidelityOverTime(ctx: Ctx, asked: string | undefined): Promise<FidelityTrend> {
  const { items } = await ctx.store.records.list(Surface, { limit: SYSTEMS });
  const systems = items.filter((row) => row.retired_at === undefined && row.bundle !== undefined);
  const chosen = systems.find(({ id }) => id === asked) ?? systems[0];
  if (chosen === undefined) return { systems, name: "", marks: [] };
  const bundles = await ctx.store.records.list(BundleRecord, { where: { surface: chosen.id }, limit: VERSIONS });
  const marks = bundles.items.toReversed().flatMap(({ fidelity, created_at, id }): TrendValue[] =>
    fidelity === undefined || fidelity.all.calls === 0
      ? []
      : [
          {
            label: versionOf(chosen.versions, id),
            when: minuteOf(created_at),
            value: fidelity.all.identical_volatile / fidelity.all.calls,
            n: `${fidelity.all.calls} calls, ${fidelity.traces} traces`,
            href: `${CONSOLE}/surfaces/${encodeURIComponent(chosen.id)}/fidelity`,
          },
        ],
  );
  return { systems, shown: chosen.id, name: chosen.name, marks };
}

/** Which version of a system a bundle is, counted as they were first served. */
function versionOf(versions: readonly { readonly bundle: string }[], id: string): string {
  const at = versions.findIndex(({ bundle }) => bundle === id);
  return at < 0 ? "not served" : `v${at + 1}`;
}
