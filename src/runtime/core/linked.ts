/**
 * Aborts `inner` when `outer` is aborted. Disposal removes the listener, so that a long-lived signal does not collect
 * listeners.
 */
export function linked(outer: AbortSignal, inner: AbortController): Disposable {
  const onAbort = (): void => inner.abort(outer.reason);
  if (outer.aborted) onAbort();
  else outer.addEventListener("abort", onAbort, { once: true });
  return { [Symbol.dispose]: () => outer.removeEventListener("abort", onAbort) };
}
