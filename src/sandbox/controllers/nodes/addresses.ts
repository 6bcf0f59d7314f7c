/** Pod addresses from `10.128.0.1` on. An address is not reused soon. */
export class AddressPool {
  #last = 0;

  /** Skips the address of an existing pod. */
  take(address: unknown): void {
    const match = typeof address === "string" ? /^10\.(\d+)\.(\d+)\.(\d+)$/.exec(address) : null;
    if (match === null) return;
    const number = (Number(match[1]) - 128) * 65_536 + Number(match[2]) * 256 + Number(match[3]);
    this.#last = Math.max(this.#last, number);
  }

  next(): string {
    do this.#last = (this.#last + 1) % (1 << 23);
    while (this.#last % 256 === 0 || this.#last % 256 === 255);
    return `10.${128 + (this.#last >> 16)}.${(this.#last >> 8) & 255}.${this.#last & 255}`;
  }
}
