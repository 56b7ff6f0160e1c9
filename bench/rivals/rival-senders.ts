import { readFileSync } from 'node:fs';
import apn from '@parse/node-apn';
import { ApnsClient, Host, Notification } from 'apns2';
import { cert, initializeApp } from 'firebase-admin/app';
import { getMessaging } from 'firebase-admin/messaging';
import type { RivalPackage, RivalPlan } from './rival-plan.js';
import { correctScheme, redirectTls } from './redirected-tls.js';

const TITLE = 'Test notification';
const BODY = 'This is a test notification of the bench.';

/** Sends one notification to phones; resolves with the tokens that were not accepted. */
export interface RivalSender {
  send(id: string, tokens: readonly string[]): Promise<readonly string[]>;
}

type Access = RivalPlan['access'];

/** The packages with the options that their documentation gives. */
const senders: Readonly<Record<RivalPackage, (access: Access, topic: string) => RivalSender>> = {
  '@parse/node-apn': nodeApn,
  apns2,
  'firebase-admin': firebaseAdmin,
};

/** The sender of a plan, led to the push sandbox. */
export const openSender = ({ package: name, access, topic }: RivalPlan): RivalSender =>
  senders[name](access, topic);

function nodeApn({ apns }: Access, topic: string): RivalSender {
  const { keyFile: key, keyId, teamId, host: address, port, caFile } = apns;
  const ca = [readFileSync(caFile)];
  const token = { key, keyId, teamId };
  const provider = new apn.Provider({ token, production: true, address, port, ca });
  return {
    async send(id, tokens) {
      const note = new apn.Notification();
      note.id = id;
      note.topic = topic;
      note.pushType = 'alert';
      note.alert = { title: TITLE, body: BODY };
      note.sound = 'default';
      const { failed } = await provider.send(note, [...tokens]);
      return failed.map(({ device }) => device);
    },
  };
}

function apns2({ apns }: Access, topic: string): RivalSender {
  redirectTls({
    ports: { [Host.production]: apns.port },
    certificateAuthority: readFileSync(apns.caFile),
  });
  const client = new ApnsClient({
    team: apns.teamId,
    keyId: apns.keyId,
    signingKey: readFileSync(apns.keyFile),
    defaultTopic: topic,
  });
  return {
    async send(_id, tokens) {
      const alert = { title: TITLE, body: BODY };
      const notes = tokens.map((token) => new Notification(token, { alert, sound: 'default' }));
      const sent = await client.sendMany(notes);
      return tokens.filter((_, index) => 'error' in (sent[index] ?? {}));
    },
  };
}

function firebaseAdmin({ apns, fcm }: Access): RivalSender {
  redirectTls({
    ports: { 'fcm.googleapis.com': fcm.port, 'oauth2.googleapis.com': fcm.port },
    certificateAuthority: readFileSync(apns.caFile),
  });
  correctScheme();
  const app = initializeApp({ credential: cert(fcm.accountFile) });
  const messaging = getMessaging(app);
  return {
    async send(id, tokens) {
      const notification = { title: TITLE, body: BODY };
      const android = { priority: 'high' as const };
      const data = { notification_id: id };
      const message = { notification, android, data };
      const [token] = tokens;
      if (tokens.length === 1 && token !== undefined) {
        await messaging.send({ ...message, token });
        return [];
      }
      const { responses } = await messaging.sendEachForMulticast({
        ...message,
        tokens: [...tokens],
      });
      return tokens.filter((_, index) => responses[index]?.success !== true);
    },
  };
}
