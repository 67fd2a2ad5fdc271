import type { Connection, ConnectionOptions } from './connection.ts';
import { httpConnection } from './http-connection.ts';
import { socketConnection } from './socket-connection.ts';

export type Transport =
  | { readonly kind: 'socket'; readonly appToken: string }
  | { readonly kind: 'http'; readonly signingSecret: string };

export function createConnection(transport: Transport, options: ConnectionOptions): Connection {
  return transport.kind === 'socket'
    ? socketConnection(transport.appToken, options)
    : httpConnection(transport.signingSecret, options);
}
