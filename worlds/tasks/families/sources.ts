import type { ObservedTrace } from "../../observation.ts";
import type { Draft } from "../draft.ts";
import type { Kit, KitOf } from "../kit.ts";
import { inTurn, type Random } from "../random.ts";
import type { Family } from "../schema.ts";
import type { Corpus } from "../words/corpus.ts";
import { VOICES, type Voice } from "../words/phrases.ts";
import { type Persona, RECORDED, voicesOf } from "../words/voices.ts";
import { ambiguous } from "./ambiguous.ts";
import { asksForTwoLists, asksWhereBegun } from "./asks.ts";
import { asksForAbsent } from "./asks-absent.ts";
import { changesOfAll } from "./changes-of-all.ts";
import { changesOfOtherRows } from "./changes-of-other-rows.ts";
import { computations } from "./computations.ts";
import { guardedWrite } from "./guarded-write.ts";
import { aggregate, filter } from "./lists.ts";
import { lookup } from "./lookup.ts";
import { mined } from "./mined.ts";
import { multiHop } from "./multi-hop.ts";
import { noData } from "./no-data.ts";
import { callsWhereBegun } from "./recorded-calls.ts";
import { changesWhereBegun, recordedChanges } from "./recorded-changes.ts";
import { refused } from "./refusals.ts";
import { multiWrite, write } from "./write.ts";

/** What drafts are made of: the traces that they may come from, who asks, and the dimension values that are wanted. */
interface Sources {
  readonly mined?: readonly ObservedTrace[];
  readonly personas?: readonly Persona[];
  readonly selection?: Readonly<Record<string, readonly string[]>>;
}

/** Who asks in a task of words that a user said: nobody was stated to. */
const RECORDED_USER = { name: RECORDED, says: [] };

/** A draft, and the surface that it is tried on where that is not the drawn one. */
export interface Candidate {
  readonly draft: Draft;
  readonly kit?: Kit;
}

function* plain(drafts: Iterable<Draft>): Generator<Candidate> {
  for (const draft of drafts) yield { draft };
}

/** The drafts of a family by rule; undefined where no rule writes it. */
export function candidates(
  kit: Kit,
  kits: KitOf,
  family: Family,
  options: Sources,
  corpus: Corpus,
): Generator<Candidate> | undefined {
  const stated = options.personas ?? [];
  const asking = family === "mined" && stated.length > 0 ? [RECORDED_USER] : stated;
  const rng = kit.rng.fork(family);
  const voices = voicesOf(asking, options.selection ?? {}, rng.below(VOICES), corpus);
  if (family === "mined") return mined(kits, options.mined ?? [], voices);
  const traces = options.mined ?? [];
  const written = drafts(kit, family, traces, voices, rng);
  if (family === "lookup" && written)
    return inTurn(
      asksWhereBegun(kits, traces, voices, rng.fork("begun")),
      plain(written),
      plain(computations(kit, traces, voices, rng.fork("computed"))),
    );
  return written && plain(written);
}

/** More of a family, for sets that are too small without: two lists in one breath, and some of what sessions did at once. */
export function reserve(
  kit: Kit,
  kits: KitOf,
  family: Family,
  { mined: traces = [], personas = [], selection = {} }: Sources,
  corpus: Corpus,
): Generator<Candidate> | undefined {
  const rng = kit.rng.fork(`more of ${family}`);
  const voices = voicesOf(personas, selection, rng.below(VOICES), corpus);
  if (family === "lookup") return asksForTwoLists(kits, traces, voices, rng);
  if (family === "no_data") return asksForAbsent(kits, traces, voices, rng);
  if (family !== "write" && family !== "multi_write") return undefined;
  return inTurn(
    plain(recordedChanges(kit, traces, family, voices, rng, true)),
    changesWhereBegun(kits, traces, family, voices, rng.fork("begun")),
    plain(changesOfOtherRows(kit, traces, family, voices, rng.fork("other rows"))),
    plain(family === "multi_write" ? changesOfAll(kit, traces, voices, rng.fork("all")) : []),
  );
}

/** Changes of which the world does not know all that they do, for sets that are too small with all else. */
export function judgedByCalls(
  kit: Kit,
  groups: KitOf,
  family: Family,
  { mined: traces = [], personas = [], selection = {} }: Sources,
  corpus: Corpus,
): Generator<Candidate> | undefined {
  if (family !== "write" && family !== "multi_write") return undefined;
  const rng = kit.rng.fork(`calls of ${family}`);
  return callsWhereBegun(groups, traces, family, voicesOf(personas, selection, rng.below(VOICES), corpus), rng);
}

function drafts(
  kit: Kit,
  family: Family,
  traces: readonly ObservedTrace[],
  voices: () => Voice,
  rng: Random,
): Generator<Draft> | undefined {
  switch (family) {
    case "lookup":
      return lookup(kit, voices, rng);
    case "multi_hop":
      return multiHop(kit, voices, rng);
    case "filter":
      return filter(kit, voices, rng);
    case "aggregate":
      return aggregate(kit, voices, rng);
    case "write":
      return inTurn(write(kit, voices, rng), recordedChanges(kit, traces, "write", voices, rng));
    case "multi_write":
      return inTurn(multiWrite(kit, voices, rng), recordedChanges(kit, traces, "multi_write", voices, rng));
    case "guarded_write":
      return inTurn(guardedWrite(kit, traces, voices, rng), refused(kit, traces, voices, rng));
    case "no_data":
      return noData(kit, voices, rng);
    case "ambiguous":
      return ambiguous(kit, voices, rng);
    case "mined":
    case "regression":
    case "criterion":
      return undefined;
  }
}
