import { z } from "zod";
import type { BaseState } from "../../../worlds/bundle.ts";
import { sha256 } from "../../../worlds/digest.ts";
import { random } from "../../../worlds/tasks/random.ts";
import { loadEnvironment } from "../../blobs.ts";
import { actor, type Ctx } from "../../context.ts";
import { AppError, conflict } from "../../errors.ts";
import { byField, orgRef, words } from "../../fields.ts";
import { everyRow } from "../../page.ts";
import { type Doc, idOfValue } from "../../record.ts";
import { Origin, RealismRating } from "../../records/sandboxes/realism.ts";
import { Environment } from "../../records/sandboxes/sandboxes.ts";
import { audited } from "../../retirement.ts";
import { wilson } from "../../statistics/wilson.ts";
import { type EnvironmentDoc, findEnvironment, liveEnvironment } from "../environments/environment-records.ts";

type RatingDoc = Doc<typeof RealismRating>;

/** A row as a rater may come to see it. */
interface Item {
  readonly item: string;
  readonly table: string;
  readonly key: string;
  readonly origin: "observed" | "drawn";
}

const DEFAULT_SIZE = 20;
/** Environments that one packet draws from at most: the newest. */
const MOST_ENVIRONMENTS = 10;
/** Below this many ratings nothing is said of whether drawn rows are told apart. */
const ENOUGH_RATINGS = 20;

/** Every row of the tables that hold drawn rows: what raters compare is of one kind. */
function itemsOf(environment: EnvironmentDoc, base: BaseState): Item[] {
  return Object.entries(base.drawn).flatMap(([table, keys]) => {
    const drawn = new Set(keys);
    return Object.keys(base.tables[table] ?? {}).map((key) => ({
      item: `${environment.id}.${sha256(JSON.stringify([environment.base_blob, table, key])).slice(0, 20)}`,
      table,
      key,
      origin: drawn.has(key) ? ("drawn" as const) : ("observed" as const),
    }));
  });
}

/** What `realism_packet` takes. */
export const PacketInput = z.object({
  ...orgRef,
  environment: words(200).optional().describe("Rows of this environment; of the newest with drawn rows when absent."),
  size: z.number().int().min(2).max(200).optional().describe("How many rows; 20 when absent."),
  seed: words(100).optional().describe("The same seed picks the same rows."),
});
export type PacketInput = z.output<typeof PacketInput>;

/** Drawn and observed rows of the same tables, half and half, shuffled by the seed, for people to tell apart. */
export async function realismPacket(ctx: Ctx, input: PacketInput) {
  const environments = input.environment ? [await liveEnvironment(ctx, input.environment)] : await withDrawnRows(ctx);
  const seed = input.seed ?? "1";
  const rng = random(`packet ${seed}`);
  const pools: Record<Item["origin"], (Item & { row: unknown })[]> = { observed: [], drawn: [] };
  for (const environment of environments) {
    const { base } = await loadEnvironment(ctx, environment);
    for (const item of itemsOf(environment, base))
      pools[item.origin].push({ ...item, row: base.tables[item.table]![item.key] });
  }
  if (pools.drawn.length === 0 || pools.observed.length === 0)
    throw conflict("There are no drawn rows to compare with observed ones; draw an environment with augment.", {
      by: "generate_environments",
    });
  const half = Math.ceil((input.size ?? DEFAULT_SIZE) / 2);
  const chosen = [...rng.shuffled(pools.drawn).slice(0, half), ...rng.shuffled(pools.observed).slice(0, half)];
  return {
    org: ctx.org.tag,
    seed,
    environments: environments.map((row) => row.id),
    question: "Was this row seen in the real system, or made up to fit it?",
    items: rng.shuffled(chosen).map(({ item, table, row }) => ({ item, table, row })),
  };
}

async function withDrawnRows(ctx: Ctx): Promise<EnvironmentDoc[]> {
  const found: EnvironmentDoc[] = [];
  for await (const row of everyRow((page) => ctx.store.records.list(Environment, page))) {
    if (row.retired_at === undefined && Object.values(row.rows).some(({ drawn }) => drawn > 0)) found.push(row);
    if (found.length === MOST_ENVIRONMENTS) break;
  }
  return found;
}

/** What a rater says of rows of a packet. */
export const ratings = {
  ratings: z
    .array(
      z.object({
        item: words(300).describe("The row's `item` in its packet."),
        said: Origin.describe("What the rater takes it for."),
        note: words(2000).optional(),
      }),
    )
    .min(1)
    .max(500),
};
const RateInput = z.object({ env_id: z.string().optional(), ...ratings, ...byField });
type RateInput = z.output<typeof RateInput>;

/** Records what a person took rows of a packet for. A rater's later word on a row replaces the earlier; all are recorded or none. */
export async function rateRealism(ctx: Ctx, input: RateInput) {
  if (input.env_id !== undefined) await findEnvironment(ctx, input.env_id);
  const by = actor(ctx, input.by);
  const known = await resolveItems(ctx, input);
  const unknown = input.ratings.filter(({ item }) => !known.has(item)).map(({ item }) => item);
  if (unknown.length > 0)
    throw new AppError("not_found", "No such row to rate: its world may have been drawn again; take a new packet.", {
      names: unknown,
    });
  const docs = input.ratings.map(({ item, said, note }): RatingDoc => {
    const { environment, table, key, origin } = known.get(item)!;
    return {
      id: idOfValue(RealismRating, by, item),
      created_at: ctx.now(),
      by,
      environment: environment.id,
      base_blob: environment.base_blob,
      item,
      table,
      key,
      origin,
      said,
      ...(note === undefined ? {} : { note }),
    };
  });
  const before = await ctx.store.records.getMany(
    RealismRating,
    docs.map((doc) => doc.id),
  );
  await ctx.store.records.apply(docs.map((doc) => ({ op: "put", kind: RealismRating, doc })));
  await audited(ctx, input, "realism_rated", { ratings: docs.length });
  const roll =
    input.env_id === undefined ? await orgRealism(ctx) : await environmentRealism(ctx, { env_id: input.env_id });
  return { recorded: docs.length, replaced: before.length, by, realism: roll.realism };
}

async function resolveItems(ctx: Ctx, input: RateInput): Promise<Map<string, Item & { environment: EnvironmentDoc }>> {
  const wanted = new Map<string, Set<string>>();
  for (const { item } of input.ratings) {
    const id = item.slice(0, item.lastIndexOf("."));
    if (input.env_id === undefined || id === input.env_id) wanted.set(id, (wanted.get(id) ?? new Set()).add(item));
  }
  const known = new Map<string, Item & { environment: EnvironmentDoc }>();
  for (const environment of await ctx.store.records.getMany(Environment, [...wanted.keys()])) {
    const { base } = await loadEnvironment(ctx, environment);
    for (const item of itemsOf(environment, base))
      if (wanted.get(environment.id)?.has(item.item)) known.set(item.item, { ...item, environment });
  }
  return known;
}

/** How often drawn rows of one environment's draw are told from observed ones. */
export async function environmentRealism(ctx: Ctx, input: { readonly env_id: string }) {
  const environment = await findEnvironment(ctx, input.env_id);
  const ratings = await ratingsOf(ctx, environment);
  return { environment: environment.id, realism: rollUp(ratings.current), earlier_draws: ratings.earlier };
}

/** The same over every live environment, with each of them that was rated. */
export async function orgRealism(ctx: Ctx) {
  const all: RatingDoc[] = [];
  const environments = [];
  let earlier = 0;
  for await (const environment of everyRow((page) => ctx.store.records.list(Environment, page))) {
    if (environment.retired_at !== undefined) continue;
    const ratings = await ratingsOf(ctx, environment);
    earlier += ratings.earlier;
    if (ratings.current.length === 0) continue;
    all.push(...ratings.current);
    environments.push({ environment: environment.id, label: environment.label, realism: rollUp(ratings.current) });
  }
  return { org: ctx.org.tag, realism: rollUp(all), earlier_draws: earlier, environments };
}

async function ratingsOf(ctx: Ctx, environment: EnvironmentDoc): Promise<{ current: RatingDoc[]; earlier: number }> {
  const current: RatingDoc[] = [];
  let earlier = 0;
  const where = { environment: environment.id };
  for await (const rating of everyRow((page) => ctx.store.records.list(RealismRating, { ...page, where })))
    if (rating.base_blob === environment.base_blob) current.push(rating);
    else earlier++;
  return { current, earlier };
}

/** Right answers over ratings, with Wilson's interval at 95 %: at a half, drawn rows are not told from observed ones. */
function rollUp(ratings: readonly RatingDoc[]) {
  const share = (of: readonly RatingDoc[], counted: (row: RatingDoc) => boolean) => {
    const n = of.filter(counted).length;
    return { n, of: of.length, ...wilson(n, of.length) };
  };
  const told = share(ratings, (row) => row.said === row.origin);
  const verdict = ratings.length < ENOUGH_RATINGS ? "too_few" : told.low > 0.5 ? "told_apart" : "not_told_apart";
  return {
    raters: new Set(ratings.map((row) => row.by)).size,
    told,
    drawn_taken_for_drawn: share(
      ratings.filter((row) => row.origin === "drawn"),
      (row) => row.said === "drawn",
    ),
    observed_taken_for_drawn: share(
      ratings.filter((row) => row.origin === "observed"),
      (row) => row.said === "drawn",
    ),
    verdict: verdict as "too_few" | "told_apart" | "not_told_apart",
    tier: "human" as const,
  };
}
