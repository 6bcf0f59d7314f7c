/**
 * Handlers of one event. They are called synchronously, in the order in which they were added. A call makes no object,
 * since a watch event of each member object comes through here.
 */
export class Handlers<Subject, Detail = void> {
  /** Replaced and never changed, so that a handler may add or remove handlers. */
  #handlers: readonly ((subject: Subject, detail: Detail) => void)[] = [];

  /** The handler is called until the result is disposed of. */
  add(handler: (subject: Subject, detail: Detail) => void): Disposable {
    this.#handlers = [...this.#handlers, handler];
    return { [Symbol.dispose]: () => void (this.#handlers = this.#handlers.filter((one) => one !== handler)) };
  }

  call(subject: Subject, detail: Detail): void {
    for (const handler of this.#handlers) handler(subject, detail);
  }
}
