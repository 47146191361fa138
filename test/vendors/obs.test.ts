import { expect, it } from "vitest";
import { obsApi } from "../../src/vendors/obs.ts";

// Finding A29.
it("an address of the observability vendor keeps its path", () => {
  const at = (apiUrl?: string) => obsApi({ apiUrl }).api("datadoghq.eu", "/api/v2/spans").href;
  expect(at("https://gateway.example/vendors/obs/")).toBe("https://gateway.example/vendors/obs/api/v2/spans");
  expect(at("https://gateway.example")).toBe("https://gateway.example/api/v2/spans");
  expect(at()).toBe("https://api.datadoghq.eu/api/v2/spans");
});
