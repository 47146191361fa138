import { expect } from "vitest";
import type { PipelineResult } from "../../../chapters/automation/run-pipeline.ts";
import { bothSurfaces } from "../../helpers/app.ts";
import { ended, ok, sendDesk } from "../sandboxes/kit.ts";

// Finding A3.
bothSurfaces(
  "the pipeline stores the graph of each version and proposes what the evidence is used for",
  async (invoke) => {
    await sendDesk(invoke, "desk", 12);
    const run = async () => {
      const job = await ended(invoke, (await ok(invoke("pipeline_post", { surface: "desk" }))).body.job);
      expect(job.status).toBe("landed");
      return job.result as PipelineResult;
    };
    const first = await run();
    const graph = (await ok(invoke("ontology_get", { surface: "desk" }))).body;
    expect(graph.nodes.length).toBeGreaterThan(3);
    const { versions } = (await ok(invoke("surface_ontology_versions", { surface: "desk" }))).body;
    expect(JSON.stringify(versions)).toContain(first.bundle);
    const axes = (await ok(invoke("dimensions_get"))).body.dimensions;
    const cases = axes.find(({ field }: { field: string }) => field === "use_case").values;
    expect(cases.length).toBeGreaterThan(0);
    expect(cases.map(({ status }: { status: string }) => status)).toContain("proposed");
    expect(first).toMatchObject({ dimensions: 1, ontology: expect.any(String) });
    const second = await run();
    expect(second).toMatchObject({ ontology: first.ontology, dimensions: 0 });
    expect(second.reused).toEqual(expect.arrayContaining(["compile", "ontology", "dimensions"]));
  },
);
