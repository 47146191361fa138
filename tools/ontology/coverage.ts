import { z } from "zod";
import { getReadiness } from "../../chapters/automation/progress/readiness.ts";
import { coverageMatrix, getSituations } from "../../chapters/ontology/matrices.ts";
import { orgRef } from "../kernel/fields.ts";
import { operation, shaped } from "../kernel/operation.ts";

/** What is covered, and what is ready to be told. */
export const coverage = [
  shaped({
    name: "coverage_matrix",
    title: "Coverage of personas by jobs",
    description:
      "Answers the matrix of personas by jobs: how many certified tasks and checks each cell holds, which cells a person marked as a job of that persona, and which of those are gaps that no task covers.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/coverage",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      personas: z.array(z.string()),
      jobs: z.array(z.string()),
      cells: z.array(
        z.object({
          persona: z.string(),
          job: z.string(),
          tasks: z.number().int().describe("Certified ones."),
          checks: z.number().int(),
          marked: z.boolean().describe("Whether a person marked it as a job of this persona."),
          gap: z.boolean().describe("Marked, and no task covers it."),
        }),
      ),
      stated: z
        .object({ personas: z.array(z.string()), jobs: z.array(z.string()) })
        .optional()
        .describe("Those that are accepted values of the org's axes; the others stand in tasks alone."),
      gaps: z.array(z.object({ persona: z.string(), job: z.string() })),
      outside: z.number().int().describe("Certified tasks of dismissed personas or jobs."),
      tier: z.literal("deterministic"),
    }),
    handle: coverageMatrix,
    verdict: ({ cells, gaps, personas, jobs }) =>
      cells.length === 0
        ? "No certified task covers any persona's job yet."
        : `${cells.filter(({ tasks }) => tasks > 0).length} of ${personas.length * jobs.length} cells hold certified tasks; ${gaps.length} marked jobs are gaps.`,
    counts: ({ cells, gaps, tier, personas, jobs }) => [
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
    ],
    next: ({ gaps }) => (gaps.length > 0 ? "environments_generate writes tasks for a selection." : undefined),
  }),
  operation({
    name: "org_scenarios_get",
    title: "List situations",
    description:
      "Lists situations (use case, persona, data condition) with how many certified tasks stand in each, the most first, and how many evidence records the use case and persona both cite, where they cite any.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/situations",
    input: z.object(orgRef),
    output: z.object({
      org: z.string(),
      tasks: z.number().int(),
      situations: z.array(
        z.object({
          use_case: z.string(),
          persona: z.string(),
          data_condition: z.string(),
          tasks: z.number().int(),
          evidence: z.number().int().optional(),
        }),
      ),
      tier: z.literal("deterministic"),
    }),
    handle: getSituations,
  }),
  operation({
    name: "org_readiness_get",
    title: "Which criteria are ready",
    description:
      "Tells for each criterion whether it is ready to be told: certified tasks, the share of wrong trials its tasks' checks reject, valid trials of one agent or of all; else what is missing and how much.",
    scope: "read",
    effect: "read",
    route: "GET /v0/orgs/{orgtag}/criteria/readiness",
    input: z.object({ ...orgRef, agent: z.string().min(1).max(200).optional().describe("By name or id.") }),
    output: z.object({
      org: z.string(),
      agent: z.string().nullable(),
      needed: z.object({ tasks: z.number(), health: z.number(), trials: z.number() }),
      ready: z.number().int(),
      criteria: z.array(
        z.object({
          criterion: z.string(),
          tasks: z.number().int(),
          health: z.number().optional().describe("Wrong trials rejected, 0 to 1; absent where none were made."),
          trials: z.number().int(),
          ready: z.boolean(),
          missing: z.array(
            z.object({ what: z.enum(["tasks", "health", "trials"]), have: z.number().optional(), need: z.number() }),
          ),
        }),
      ),
      tier: z.literal("deterministic"),
    }),
    handle: getReadiness,
  }),
];
