import { Fragment } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { FederatedObjectRow, PlacedObjectRow, TransitionRow } from "../../query/types.ts";
import { nextStep } from "../../apis/index.ts";
import {
  ageText,
  becauseText,
  explainCommand,
  fragmentOf,
  keyOfObject,
  type PairName,
  type Route,
  rolloutCommand,
  type WholePair,
  wholePairOf,
  shortName,
  timelineOf,
} from "../model/index.ts";
import type { Fleet } from "./fleet.ts";
import { Command, Message, State } from "./pieces.tsx";

interface Properties {
  fleet: Fleet;
  route: Route;
  pair: PairName;
  now: number;
}

interface Known {
  object?: FederatedObjectRow;
  placed?: PlacedObjectRow;
  timeline: TransitionRow[];
  /** Absent where the server has no whole objects. */
  whole?: WholePair;
  /** Why some of it is not known. */
  problem?: string;
}

const AGAIN_MS = 5_000;
const MOST = "500";

/** One object on one cluster: why it is there or not, what happened, and what to type next. */
export function Drawer({ fleet, route, pair, now }: Properties) {
  const known = useKnown(fleet, pair);
  const heading = useRef<HTMLHeadingElement>(null);
  const close = (): void => {
    location.hash = fragmentOf({ view: route.view, filter: route.filter });
  };
  // In the same step as the drawer leaves: a key that is typed right after Escape goes to the link, not to the page.
  useLayoutEffect(() => {
    const before = document.activeElement;
    heading.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === "Escape") close();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  return (
    <aside class="drawer" aria-labelledby="pair">
      <div class="drawerHead">
        <h2 id="pair" ref={heading} tabIndex={-1}>
          {shortName(pair.object)} on {pair.cluster}
        </h2>
        <button type="button" onClick={close} aria-label="Close the details">
          ✕
        </button>
      </div>
      {known === undefined ? <p class="dim">Loading…</p> : <Details known={known} pair={pair} now={now} />}
    </aside>
  );
}

function Details({ known, pair, now }: { known: Known; pair: PairName; now: number }) {
  const { object, placed, timeline, whole, problem } = known;
  return (
    <>
      {problem === undefined ? null : (
        <p class="notice warn" role="alert">
          {problem}
        </p>
      )}
      <section aria-labelledby="why">
        <h3 id="why">{placed === undefined ? "Why it is not here" : "Why it is here"}</h3>
        {placed === undefined ? <Absent object={object} pair={pair} /> : <Present placed={placed} now={now} />}
        {whole === undefined ? null : <Decision whole={whole} />}
      </section>
      {whole === undefined || whole.differences.length === 0 ? null : (
        <section aria-labelledby="differences">
          <h3 id="differences">What differs from what is desired</h3>
          <Differences whole={whole} />
        </section>
      )}
      <section aria-labelledby="next">
        <h3 id="next">What to type next</h3>
        <Next known={known} pair={pair} />
      </section>
      <section aria-labelledby="timeline">
        <h3 id="timeline">What happened</h3>
        {timeline.length === 0 ? <p class="dim">Nothing has changed since the manager started.</p> : null}
        <ol class="timeline">
          {timeline.map((row) => (
            <Transition key={`${row.at} ${row.cluster ?? ""} ${row.to} ${row.reason}`} row={row} now={now} />
          ))}
        </ol>
      </section>
    </>
  );
}

function Decision({ whole: { decision, remedies, waits } }: { whole: WholePair }) {
  return (
    <>
      {decision === undefined ? null : (
        <p class="decision">
          <strong>{decision.reason}</strong>: <Message text={decision.message} />
        </p>
      )}
      {remedies.length === 0 ? null : (
        <>
          <p>To run here:</p>
          <ul>
            {remedies.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
      {waits.map((text) => (
        <p key={text}>Waits {text}</p>
      ))}
    </>
  );
}

function Differences({ whole }: { whole: WholePair }) {
  return (
    <ul class="rows">
      {whole.differences.map(({ object, what, because, fields }) => (
        <li key={object}>
          <p class="head">
            <strong>{object}</strong> <span>{what}</span>
          </p>
          {because === undefined ? null : (
            <p class="message">
              <Message text={because} />
            </p>
          )}
          <dl>
            {fields.map(({ path, observed, desired }) => (
              <Fragment key={path}>
                <dt>{path}</dt>
                <dd>
                  {observed} → {desired}
                </dd>
              </Fragment>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

function Present({ placed, now }: { placed: PlacedObjectRow; now: number }) {
  const { state, reason, message, ready, desired, since, policy, stale, observedAt } = placed;
  return (
    <>
      <p>
        <State state={state} reason={reason === undefined ? undefined : `${state}: ${reason}`} />{" "}
        {ageText(since, now) === "" ? null : <span class="dim">for {ageText(since, now)}</span>}
      </p>
      {message === undefined ? null : (
        <p class="message">
          <Message text={message} />
        </p>
      )}
      <dl>
        <dt>Ready</dt>
        <dd>
          {ready} of {desired}
        </dd>
        <dt>Placed by</dt>
        <dd>{policy ?? "no placement that the status names"}</dd>
        <dt>Observed</dt>
        <dd>{stale ? `${ageText(observedAt, now)} ago: the cluster is out of contact` : "now"}</dd>
      </dl>
    </>
  );
}

function Absent({ object, pair }: { object: FederatedObjectRow | undefined; pair: PairName }) {
  if (object === undefined) return <p>The hub has no such object, or you may not read it.</p>;
  return (
    <>
      <p>
        {object.policy === undefined
          ? `No placement selects ${shortName(pair.object)}.`
          : `${object.policy} does not place it on ${pair.cluster}, or has not done so yet.`}
      </p>
      {object.message === undefined ? null : (
        <p class="message">
          <Message text={object.message} />
        </p>
      )}
    </>
  );
}

function Next({ known: { object, placed }, pair }: { known: Known; pair: PairName }) {
  const { namespace, name, kind } = pair.object;
  const reason = placed?.reason;
  const isWaiting = object?.waits.some(({ for: what }) => what === "approval") ?? false;
  const named = kind === "DemoApplication" ? name : `${kind.toLowerCase()}/${name}`;
  return (
    <>
      {reason === undefined || placed?.state === "Available" ? null : (
        <p>{nextStep(reason, { cluster: pair.cluster, object: named, namespace })}</p>
      )}
      {isWaiting && object !== undefined ? (
        <Command about="The rollout waits for a person:" text={rolloutCommand(object)} />
      ) : null}
      <Command about="Every step, and what would have to change:" text={explainCommand(pair.object, pair.cluster)} />
    </>
  );
}

function Transition({ row, now }: { row: TransitionRow; now: number }) {
  const { at, from, to, reason, message, cluster } = row;
  const because = becauseText(row);
  return (
    <li>
      <p class="head">
        <time dateTime={at} title={new Date(at).toLocaleString()}>
          {ageText(at, now)} ago
        </time>
        <span>
          {from === "" ? "new" : from} → {to === "" ? "gone" : to}
        </span>
        {reason === "" || reason === to ? null : <strong>{reason}</strong>}
        <span class="dim">{cluster === undefined ? "as a whole" : cluster}</span>
      </p>
      {because === undefined ? null : <p class="dim">{because}</p>}
      {message === undefined ? null : (
        <p class="message">
          <Message text={message} />
        </p>
      )}
    </li>
  );
}

/** Asks again while the drawer is seen; what was known stays while nobody answers. */
function useKnown(fleet: Fleet, pair: PairName): Known | undefined {
  const [known, setKnown] = useState<Known>();
  useEffect(() => {
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      try {
        setKnown(await knownOf(fleet, pair, gone.signal));
      } catch (error) {
        if (gone.signal.aborted) return;
        const problem = error instanceof Error ? error.message : String(error);
        setKnown((before) => ({ timeline: [], ...before, problem: `What you see may be old: ${problem}` }));
      }
      if (!gone.signal.aborted) timer = setTimeout(again, AGAIN_MS);
    };
    const again = (): void => {
      if (document.hidden) document.addEventListener("visibilitychange", again, { once: true, signal: gone.signal });
      else void ask();
    };
    void ask();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, []);
  return known;
}

async function knownOf({ client }: Fleet, pair: PairName, signal: AbortSignal): Promise<Known> {
  const { kind, group, namespace, name } = pair.object;
  const of = { kind: `${group}/${kind}`, name, namespace, limit: MOST };
  // A prefix of the name alone would find others first.
  const exact = `object.name == ${JSON.stringify(name)}`;
  const [objects, placed, transitions, answer] = await Promise.all([
    client.list<FederatedObjectRow>("federatedobjects", { ...of, cel: exact }, signal),
    client.list<PlacedObjectRow>("placedobjects", { ...of, cel: exact, cluster: pair.cluster }, signal),
    client.list<TransitionRow>("transitions", of, signal),
    client.whole(pair.object, pair.cluster, signal),
  ]);
  const key = keyOfObject(pair.object);
  const object = objects.items.find((row) => keyOfObject(row) === key);
  const here = placed.items.find((row) => keyOfObject(row) === key);
  return {
    ...(object === undefined ? {} : { object }),
    ...(here === undefined ? {} : { placed: here }),
    ...(answer === undefined ? {} : { whole: wholePairOf(answer, pair.cluster) }),
    timeline: timelineOf(transitions.items, pair),
  };
}
