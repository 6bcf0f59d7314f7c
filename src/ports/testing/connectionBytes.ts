import {
  type ClusterReport,
  type ConnectionSource,
  decodeClusterAnswer,
  decodeClusterMessage,
  decodeConnectionAnswer,
  decodeConnectionRequest,
  decodeConnections,
  type Decoded,
  decodeSession,
  encode,
} from "../index.ts";

/** Carries the text of one message to its taker: at once, later, twice or never. */
export type Carry = (text: string, take: (text: string) => void) => void;

const atOnce: Carry = (text, take) => take(text);

/** The ports of connections, whose messages cross a line as bytes. */
export function connectionBytes(
  { connections, reports }: { connections: ConnectionSource; reports: ClusterReport },
  carry: Carry = atOnce,
): { connections: ConnectionSource; reports: ClusterReport } {
  return {
    connections: {
      follow(request, taker) {
        const stream = connections.follow(valueOf(decodeConnectionRequest(encode(request))), {
          take: (message) => carry(encode(message), (text) => taker.take(valueOf(decodeConnections(text)))),
          ended: (why) => taker.ended(why),
        });
        return {
          send: (answer) => carry(encode(answer), (text) => stream.send(valueOf(decodeConnectionAnswer(text)))),
          [Symbol.dispose]: () => stream[Symbol.dispose](),
        };
      },
    },
    reports: {
      open({ cluster, uid }, session, answer) {
        const back = (text: string): void => answer(valueOf(decodeClusterAnswer(text)));
        const opened = valueOf(decodeSession(encode(session)));
        const channel = reports.open({ cluster, uid }, opened, (given) => carry(encode(given), back));
        return {
          send: (message) => carry(encode(message), (text) => channel.send(valueOf(decodeClusterMessage(text)))),
          [Symbol.dispose]: () => channel[Symbol.dispose](),
        };
      },
    },
  };
}

export function valueOf<T>(decoded: Decoded<T>): T {
  if ("error" in decoded) throw new Error(`a message is not as the protocol says: ${decoded.error}`);
  return decoded.value;
}
