/** Exchanges with an API, kept as a browser writes them into an HTTP archive. */
export class Recording {
  readonly #origin: string;
  readonly #entries: object[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  add(
    method: string,
    path: string,
    status: number,
    body: unknown,
    sent?: unknown,
    headers: Record<string, string> = {},
  ): void {
    const second = this.#entries.length;
    this.#entries.push({
      startedDateTime: new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString(),
      time: 12,
      request: {
        method,
        url: path.startsWith("http") ? path : `${this.#origin}${path}`,
        headers: [{ name: "Authorization", value: "Bearer upstream-secret" }],
        ...(sent === undefined ? {} : { postData: { mimeType: "application/json", text: JSON.stringify(sent) } }),
      },
      response: {
        status,
        headers: [
          { name: "Content-Type", value: "application/json" },
          { name: "X-Api-Version", value: "7" },
          { name: "X-Request-Id", value: String(second + 1) },
          ...Object.entries(headers).map(([name, value]) => ({ name, value })),
        ],
        content: body === undefined ? { size: 0 } : { mimeType: "application/json", text: JSON.stringify(body) },
      },
    });
  }

  har(): object {
    return { log: { version: "1.2", creator: { name: "t", version: "1" }, entries: this.#entries } };
  }
}
