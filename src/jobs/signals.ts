/** Why a running job was told to end. */
export class StopRequested extends Error {
  readonly by: string;
  constructor(by: string) {
    super("the job was asked to stop");
    this.name = "StopRequested";
    this.by = by;
  }
}

/** The process goes down: the job goes back to the queue with its checkpoint. */
export class ShuttingDown extends Error {
  constructor() {
    super("the service is shutting down");
    this.name = "ShuttingDown";
  }
}
