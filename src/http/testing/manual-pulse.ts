import type { LoopPulse } from "../admission.ts";

/** A process whose load the test sets by hand. */
export class ManualPulse implements LoopPulse {
  lag = 0;
  shares: [number, number] = [0, 0];
  count = 0;

  lagMs(): number {
    return this.lag;
  }

  busy(): [number, number] {
    return this.shares;
  }

  looks(): number {
    return this.count;
  }

  look(share: number): void {
    this.shares = [this.shares[1], share];
    this.count++;
  }
}
