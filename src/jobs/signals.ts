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

/** Another process has the job now: this one writes nothing more of it. */
export class LeaseLost extends Error {
  constructor() {
    super("the job's lease was lost");
    this.name = "LeaseLost";
  }
}
