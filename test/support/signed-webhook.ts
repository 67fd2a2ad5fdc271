import { Webhook } from 'standardwebhooks';

/** The headers with which a sender of Standard Webhooks signs a text. */
export function signedHeaders(secret: string, id: string, at: Date, content: string) {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, content),
  };
}
