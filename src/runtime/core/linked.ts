/** Aborts `inner` with `outer`, until disposed: a long-lived signal must not collect listeners. */
export function linked(outer: AbortSignal, inner: AbortController): Disposable {
  const onAbort = (): void => inner.abort(outer.reason);
  if (outer.aborted) onAbort();
  else outer.addEventListener("abort", onAbort, { once: true });
  return { [Symbol.dispose]: () => outer.removeEventListener("abort", onAbort) };
}
