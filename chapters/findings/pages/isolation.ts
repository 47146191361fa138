import type { openTrials } from "../../runs/isolation.ts";
import type { PageSection } from "./page-doc.ts";
import { counted } from "./words.ts";

type OpenTrials = NonNullable<ReturnType<typeof openTrials>>;
type PageFact = Extract<PageSection, { show: "facts" }>["facts"][number];
const PLACE = "isolation";

/** How many trials ran as the service's user does; it opens the section that says of whom, and why. */
export function isolationFact(found: OpenTrials | undefined): PageFact[] {
  if (found === undefined) return [];
  const value = { text: `${found.none} of ${counted(found.all, "trial")}`, tone: "warn" as const, place: PLACE };
  return [{ name: "Ran without isolation", value, tier: "deterministic" }];
}

/** Whose trials ran without isolation, and why; folded until it is asked for. */
export function isolationSection({ open }: OpenTrials): PageSection {
  return {
    show: "table",
    heading: "Isolation",
    place: PLACE,
    caption: "Trials that ran as the service's user does, with its files and its network.",
    tier: "deterministic",
    columns: [
      { name: "Agent" },
      { name: "Without", kind: "number" },
      { name: "Apart", kind: "number" },
      { name: "Why", kind: "wide" },
    ],
    rows: open.map(({ name, none, bubblewrap, why }) => [name, none, bubblewrap, why ?? ""]),
  };
}
