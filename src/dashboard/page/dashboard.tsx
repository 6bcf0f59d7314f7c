import { useEffect, useState } from "preact/hooks";
import { ageText, fragmentOf, type Freshness, type Route } from "../model/index.ts";
import { Drawer } from "./drawer.tsx";
import type { Fleet } from "./fleet.ts";
import { useFleet, useNow, useRoute, useTotals } from "./hooks.ts";
import { Matrix } from "./matrix.tsx";
import { Overview } from "./overview.tsx";

interface Properties {
  fleet: Fleet;
  hasToken: boolean;
  onSignOut: (message?: string) => void;
}

export function Dashboard({ fleet, hasToken, onSignOut }: Properties) {
  useFleet(fleet);
  const now = useNow();
  const route = useRoute();
  const totals = useTotals(fleet);
  const overall = fleet.overall(now);
  const isSignedOut = overall === "SignedOut";
  useEffect(() => {
    if (isSignedOut) onSignOut("The hub does not accept the token any more. Sign in with a new one.");
  }, [isSignedOut]);
  useEffect(() => {
    if (route.view === "overview") fleet.closeMatrix();
  }, [fleet, route.view]);
  const isRefused = overall === "Refused" || (fleet.clusters.isRefused && totals?.count === 0);
  return (
    <>
      <a class="skip" href="#main" onClick={toMain}>
        Skip to the content
      </a>
      <header>
        <h1>Meridian</h1>
        <nav aria-label="Views">
          <Tab route={route} view="overview" text="Overview" />
          <Tab route={route} view="matrix" text="Matrix" />
        </nav>
        <LiveSign overall={overall} />
        {hasToken ? (
          <button type="button" onClick={() => onSignOut()}>
            Sign out
          </button>
        ) : null}
      </header>
      <Notices fleet={fleet} overall={overall} now={now} />
      <main id="main" tabIndex={-1} class={overall === "Stale" ? "stale" : ""}>
        {isRefused ? (
          <NoRights fleet={fleet} />
        ) : route.view === "matrix" ? (
          <Matrix fleet={fleet} route={route} />
        ) : (
          <Overview fleet={fleet} route={route} totals={totals} now={now} />
        )}
      </main>
      {route.open === undefined ? null : (
        <Drawer key={fragmentOf(route)} fleet={fleet} route={route} pair={route.open} now={now} />
      )}
    </>
  );
}

/** A link that the browser followed would end up in the route. */
function toMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Tab({ route, view, text }: { route: Route; view: Route["view"]; text: string }) {
  const isHere = route.view === view;
  return (
    <a href={fragmentOf({ view, filter: isHere ? route.filter : {} })} aria-current={isHere ? "page" : undefined}>
      {text}
    </a>
  );
}

const SIGNS: Readonly<Record<Freshness, { tone: string; text: string }>> = {
  Live: { tone: "good", text: "Live" },
  Loading: { tone: "busy", text: "Loading" },
  Stale: { tone: "bad", text: "Disconnected" },
  Refused: { tone: "warn", text: "No rights" },
  SignedOut: { tone: "warn", text: "Signed out" },
};

function LiveSign({ overall }: { overall: Freshness }) {
  const { tone, text } = SIGNS[overall];
  return (
    <p class={`live ${tone}`} role="status" data-state={overall}>
      <span class="dot" aria-hidden="true" />
      {text}
    </p>
  );
}

function Notices({ fleet, overall, now }: { fleet: Fleet; overall: Freshness; now: number }) {
  const lost = overall === "Stale" ? fleet.lost() : undefined;
  const silent = fleet.clusters.table.rows().filter(({ state }) => state === "Unreachable");
  return (
    <>
      {overall === "Stale" ? (
        <div class="notice bad" role="alert">
          <p>
            What you see is old
            {lost === undefined
              ? ": the server is silent."
              : `: ${lost.message}. Lost ${ageText(iso(lost.since), now)} ago.`}
          </p>
          <button type="button" onClick={() => fleet.retry()}>
            Connect now
          </button>
        </div>
      ) : null}
      {silent.length > 0 ? (
        <p class="notice warn">
          {silent.length === 1
            ? "1 cluster does not answer; its rows show"
            : `${silent.length} clusters do not answer; their rows show`}{" "}
          what was last seen.
        </p>
      ) : null}
    </>
  );
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function NoRights({ fleet }: { fleet: Fleet }) {
  const [message] = useState(() => {
    const { connection } = fleet.clusters;
    return connection.is === "Refused" ? connection.message : "";
  });
  return (
    <section class="blank" aria-labelledby="noRights">
      <h2 id="noRights">You may read nothing here</h2>
      <p>{message}</p>
      <p>
        Ask an administrator of the hub for the right to <code>get</code> and <code>list</code> your objects there. To
        see your rights: <code>kubectl auth can-i --list</code>
      </p>
    </section>
  );
}
