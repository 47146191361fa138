import { afterEach } from "vitest";
import { type AppOptions, type RestAnswer, startApp, type TestApp } from "../helpers/app.ts";

/** Starts the service for one test of the operator's acts, without jobs unless asked, and acts on what was started last. */
export function operatorTests(): {
  start(options?: AppOptions): Promise<TestApp>;
  /** A call of the operator's routes, with the service-wide token unless told otherwise. */
  act(method: string, path: string, body?: unknown, token?: string): Promise<RestAnswer>;
} {
  let app: TestApp;
  afterEach(() => app.close());
  return {
    async start(options) {
      app = await startApp({ jobs: false, ...options });
      return app;
    },
    act: (method, path, body, token = app.operator) => app.rest(method, `/v0/operator${path}`, body, token),
  };
}
