#!/usr/bin/env bash
# firebase-admin reports every 404 as a token that is not registered, also one of a project that Google does not know, which has no
# error of FCM. Who removes such tokens loses all phones after a wrong configuration. The answer itself is not on the error.
source "$(dirname "${BASH_SOURCE[0]}")/support/setup.bash"
install firebase-admin@13.10.0
certificate
cat >find.mjs <<'JS'
import { googleAt, serveHttps } from './google.mjs';
import { seen } from './seen.mjs';

const fcmError = (errorCode) => ({ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode });
const answers = [
  { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.', details: [fcmError('UNREGISTERED')] },
  { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' },
];
for (const error of answers) {
  const { port } = await serveHttps(() => ({ status: error.code, body: { error } }));
  const { messaging } = googleAt(port);
  const failure = await messaging.send({ token: 'a-token' }).catch((reason) => reason);
  const name = error.details === undefined ? 'of no message' : 'of a token';
  seen(`404 ${name}`, failure.code, 'messaging/registration-token-not-registered');
  seen('  its answer on the error', 'httpResponse' in failure, false);
}
process.exit();
JS
node find.mjs
