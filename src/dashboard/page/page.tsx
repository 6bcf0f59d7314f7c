import { useEffect, useState } from "preact/hooks";
import { AnswerError, Client } from "./client.ts";
import { Dashboard } from "./dashboard.tsx";
import { Fleet } from "./fleet.ts";
import type { Session } from "./session.ts";
import { SignIn } from "./signIn.tsx";

type Access =
  | { is: "Checking" }
  /** `message`: why the token before did not do. */
  | { is: "SignedOut"; message?: string }
  | { is: "In"; fleet: Fleet };

/** Finds out whether the server knows the reader: a proxy in between may have named him already. */
export function Page({ session }: { session: Session }) {
  const [access, setAccess] = useState<Access>({ is: "Checking" });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const gone = new AbortController();
    const client = new Client(() => session.token);
    let fleet: Fleet | undefined;
    const enter = (): void => {
      fleet = new Fleet(client);
      setAccess({ is: "In", fleet });
    };
    const check = async (): Promise<void> => {
      try {
        await client.list("causes", { limit: "1" }, gone.signal);
        enter();
      } catch (error) {
        if (gone.signal.aborted) return;
        const code = error instanceof AnswerError ? error.code : 0;
        if (code === 401) setAccess(refused(session));
        else if (code === 404 && client.isOfHub) setAccess({ is: "SignedOut", message: NOT_SERVED });
        // Rights and breaks are shown where the rows would be.
        else enter();
      }
    };
    void check();
    return () => {
      gone.abort();
      fleet?.[Symbol.dispose]();
    };
  }, [session, attempt]);

  const signIn = (token: string): void => {
    session.signIn(token);
    setAccess({ is: "Checking" });
    setAttempt(attempt + 1);
  };
  const signOut = (message?: string): void => {
    if (access.is === "In") access.fleet[Symbol.dispose]();
    session.signOut();
    setAccess({ is: "SignedOut", ...(message === undefined ? {} : { message }) });
  };
  switch (access.is) {
    case "Checking":
      return (
        <p class="blank" role="status">
          Signing in…
        </p>
      );
    case "SignedOut":
      return <SignIn {...access} onToken={signIn} />;
    case "In":
      return <Dashboard fleet={access.fleet} hasToken={session.token !== undefined} onSignOut={signOut} />;
  }
}

const NOT_SERVED =
  "This hub does not serve the query API: set queries.apiService.enabled of the chart, or open the page by a port-forward.";

function refused(session: Session): Access {
  if (session.token === undefined) return { is: "SignedOut" };
  session.signOut();
  const message = "The hub does not accept this token. It may have expired, or be of another cluster.";
  return { is: "SignedOut", message };
}
