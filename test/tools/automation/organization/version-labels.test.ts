import { expect } from "vitest";
import { bothSurfaces } from "../../../helpers/app.ts";

bothSurfaces("version labels are set, moved and cleared; one version is main", async (invoke, { org }) => {
  expect((await invoke("version_labels_get", {}, org.read)).body).toEqual({
    org: "acme",
    labels: [],
    by_version: {},
    main_label: "main",
    main_version: null,
    tier: "human",
  });
  await invoke("version_labels_put", { version: "1.0", label: "main", by: "Ada" }, org.push);
  await invoke("version_labels_put", { version: "1.1", label: "candidate" });
  const moved = await invoke("version_labels_put", { version: "1.1", label: "main" });
  expect(moved.body).toMatchObject({ version: "1.1", label: "main", cleared: false, tier: "human" });
  expect(moved.body.labels).toMatchObject([{ version: "1.1", label: "main", by: "acme-admin" }]);

  await invoke("version_labels_put", { version: "0.9", label: "old" });
  const cleared = await invoke("version_labels_put", { version: "1.1", label: null });
  expect(cleared.body).toMatchObject({ version: "1.1", label: null, cleared: true });
  expect((await invoke("version_labels_get")).body.labels).toMatchObject([{ version: "0.9", label: "old" }]);

  expect((await invoke("version_labels_put", { version: "2", label: "x".repeat(41) })).body.fields).toMatchObject([
    { path: "label" },
  ]);
  expect((await invoke("version_labels_put", { version: "2", label: "x" }, org.read)).status).toBe(403);
});

bothSurfaces("a label says whether anything has its version, main is main however written", async (invoke) => {
  const first = (await invoke("version_labels_put", { version: "1.0", label: "Main" })).body;
  expect(first).toMatchObject({ label: "main", main_version: "1.0", known: false, by_version: { "1.0": "main" } });
  expect(first.note).toContain("waits");
  const second = (await invoke("version_labels_put", { version: "1.1", label: "MAIN" })).body;
  expect(second.by_version).toEqual({ "1.1": "main" });
  expect((await invoke("version_labels_put", { version: "7", label: null })).body.cleared).toBe(false);
  expect((await invoke("version_labels_put", { version: "1.1", label: null })).body.cleared).toBe(true);
});
