import { z } from "zod";
import { countOf, named } from "../../chapters/count-of.ts";
import { orgRef } from "../../chapters/fields.ts";
import { CalledTool, Cell, coverageMatrix, getSituations, Situation } from "../../chapters/ontology/matrices.ts";
import { operation, shaped } from "../kernel/operation.ts";

/** Coverage of personas by jobs; list situations. */
export const matrices = [
  shaped({
    name: "coverage_matrix",
    title: "Show coverage of personas by jobs",
    description:
      "Use it to see what is never tested: the tools that traces call and no certified task needs, and the matrix of personas by jobs with the tasks and checks of each cell; cells that a person marked and no task covers are gaps.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/coverage",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      personas: z.array(z.string()),
      jobs: z.array(z.string()),
      cells: z.array(Cell),
      stated: z
        .object({ personas: z.array(z.string()), jobs: z.array(z.string()) })
        .optional()
        .describe("Those that are accepted values of the org's axes; the others stand in tasks alone."),
      gaps: z.array(Cell.pick({ persona: true, job: true })),
      outside: z.number().int().describe("Certified tasks of dismissed personas or jobs."),
      untested_tools: z
        .array(CalledTool)
        .describe("Tools that traces call and no certified task needs, with how often traces call each."),
      tier: z.literal("deterministic"),
    }),
    handle: coverageMatrix,
    verdict({ cells, gaps, personas, jobs, untested_tools: tools }) {
      const untested = tools.length === 0 ? "" : ` No task needs ${named(tools.map(({ tool }) => tool))}.`;
      return cells.length === 0
        ? `No certified task covers any persona's job yet.${untested}`
        : `${cells.filter(({ tasks }) => tasks > 0).length} of ${personas.length * jobs.length} cells hold certified tasks; ${countOf(gaps.length, "marked job is a gap", "marked jobs are gaps")}.${untested}`;
    },
    counts: ({ cells, gaps, tier, personas, jobs, untested_tools: tools }) => [
      {
        name: "covered cells",
        value: cells.filter(({ tasks }) => tasks > 0).length,
        of: personas.length * jobs.length,
        tier,
        how: "certified tasks of standing environments, by their own cell, of every persona with every job",
      },
      {
        name: "gaps",
        value: gaps.length,
        of: cells.filter(({ marked }) => marked).length,
        tier,
        how: "cells that a person marked and no certified task covers",
      },
      {
        name: "untested tools",
        value: tools.length,
        tier,
        how: "called in traces, in the script of no certified task",
      },
    ],
    next: ({ gaps }) => (gaps.length > 0 ? "generate_environments writes tasks for a selection." : undefined),
  }),
  operation({
    name: "org_scenarios_get",
    title: "List situations",
    description:
      "Lists situations (use case, persona, data condition) with how many certified tasks stand in each, the most first, and how many evidence records the use case and persona both cite, where they cite any.",
    scope: "read",
    route: "GET /v0/orgs/{orgtag}/situations",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      tasks: z.number().int(),
      situations: z.array(Situation),
      tier: z.literal("deterministic"),
    }),
    handle: getSituations,
  }),
];
