import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Connection, fragmentOf, linked, lookOf, type PairName, type Route, shortName } from "../model/index.ts";

/** Sign, colour and word of a state. */
export function State({ state, reason }: { state: string; reason?: string | undefined }) {
  const { tone, sign } = lookOf(state);
  return (
    <span class={`state ${tone}`}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      {reason ?? state}
    </span>
  );
}

/** A message of a cluster, with links only to http and https. */
export function Message({ text }: { text: string }) {
  return (
    <>
      {linked(text).map((part) =>
        part.href === undefined ? (
          part.text
        ) : (
          <a href={part.href} target="_blank" rel="noopener noreferrer">
            {part.text}
          </a>
        ),
      )}
    </>
  );
}

export function Command({ text, about }: { text: string; about?: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
    } catch {
      // Without a secure address there is no clipboard: the text can be selected.
      setCopied(false);
    }
  };
  return (
    <div class="command">
      {about === undefined ? null : <p>{about}</p>}
      <div class="commandLine">
        <code tabIndex={0}>{text}</code>
        <button type="button" onClick={() => void copy()} aria-label={`Copy the command ${text}`}>
          {isCopied ? "Copied" : "Copy"}
        </button>
      </div>
    </div>
  );
}

/** Opens the drawer of the pair, over what is on the screen. */
export function PairLink({ route, pair }: { route: Route; pair: PairName }) {
  return (
    <a href={fragmentOf({ ...route, open: pair })}>
      {shortName(pair.object)} on {pair.cluster}
    </a>
  );
}

interface SectionProperties {
  id: string;
  title: string;
  count?: number | undefined;
  connection?: Connection;
  isComplete?: boolean;
  /** Shown without rows. */
  empty?: string | undefined;
  children?: ComponentChildren;
}

/** A part of the first screen: its rows, or why there are none. */
export function Section({ id, title, count, connection, isComplete = true, empty, children }: SectionProperties) {
  const isRefused = connection?.is === "Refused";
  const isLoading = !isComplete && !isRefused;
  return (
    <section aria-labelledby={id} aria-busy={isLoading}>
      <h2 id={id}>
        {title}
        {count === undefined || isLoading || isRefused ? null : <span class="count">{count}</span>}
      </h2>
      {isRefused ? (
        <p class="dim">{connection.message}</p>
      ) : isLoading ? (
        <p class="dim">Loading…</p>
      ) : count === 0 && empty !== undefined ? (
        <p class="dim">{empty}</p>
      ) : (
        children
      )}
    </section>
  );
}
