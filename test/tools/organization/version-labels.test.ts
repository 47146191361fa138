import { expect } from "vitest";
import { bothSurfaces } from "../../helpers/app.ts";

bothSurfaces("version labels are set, moved and cleared; one version is main", async (invoke, { org }) => {
  expect((await invoke("version_labels_get", {}, org.read)).body).toEqual({
    org: "acme",
    labels: [],
    main_label: "main",
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
