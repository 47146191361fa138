import { z } from "zod";

/** How the newest of several tool listings of one surface differs from those before it; names in order. */
export const ListingDiff = z.object({
  listings: z.number().int().describe("How many listings stand on the surface."),
  only_earlier: z.array(z.string()).describe("Tools that the newest listing does not hold: they stay served."),
  only_newest: z.array(z.string()),
  changed: z
    .array(
      z.object({ tool: z.string(), parts: z.array(z.string()).describe("What of it differs, as listings name it.") }),
    )
    .describe("Tools of both that differ: as the newest listing has them they are served."),
});
export type ListingDiff = z.infer<typeof ListingDiff>;
