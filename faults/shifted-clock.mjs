// Loaded with `node --import` in fault scenarios: shifts the clock of this process.
const shift = Number(process.env.FAULTS_CLOCK_SHIFT_MS ?? 0);
const Real = Date;

globalThis.Date = class extends Real {
  constructor(...given) {
    if (given.length === 0) super(Real.now() + shift);
    else super(...given);
  }
  static now() {
    return Real.now() + shift;
  }
};
