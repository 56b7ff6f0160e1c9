import {
  androidPriority,
  apnsPayload,
  apnsUrgency,
  encryptedApnsPayload,
  type EncryptedContent,
  fcmData,
  type PushContent,
  type Recipient,
  type RelayedAccount,
} from '#push/providers';
import type { Platform } from '#push/jobs';

/** A notification to all phones of an account that get plain text. */
interface AccountPush {
  readonly notificationId: string;
  readonly recipient: Recipient;
  readonly content: PushContent;
  readonly account: RelayedAccount;
}

/** The body of `push/notify`: the service sends it to all phones of the account, and compares the two lists with its own. */
export function notifyBody({ notificationId, recipient, content, account }: AccountPush) {
  const { aps, zulip } = apnsPayload({ recipient, content });
  return {
    user_uuid: account.userUuid,
    user_id: recipient.userId,
    realm_uuid: account.realmUuid,
    apns_payload: { ...aps, custom: { zulip } },
    gcm_payload: fcmData({ notificationId, recipient, content }),
    gcm_options: { priority: androidPriority({ content }) },
    android_devices: account.androidTokens,
    apple_devices: account.appleTokens,
  };
}

/** The body of `push/test_notification`, for one phone. */
export const testBody = (
  { token, recipient }: { readonly token: string; readonly recipient: Recipient },
  {
    userUuid,
    realmUuid,
    platform,
  }: Pick<RelayedAccount, 'userUuid' | 'realmUuid'> & {
    readonly platform: Platform;
  },
) => ({
  realm_uuid: realmUuid,
  user_uuid: userUuid,
  user_id: recipient.userId,
  token,
  token_kind: platform === 'apns' ? 1 : 2,
  base_payload: {
    server: recipient.server,
    realm_id: recipient.realmId,
    realm_uri: recipient.realmUrl,
    realm_url: recipient.realmUrl,
    realm_name: recipient.realmName,
    user_id: recipient.userId,
  },
});

/** An entry of `push/e2ee/notify`. `tokenId` is in base64. */
export function encryptedRequest(
  { platform, tokenId }: { readonly platform: Platform; readonly tokenId: string },
  content: EncryptedContent,
) {
  if (platform === 'fcm') {
    return {
      token_id: tokenId,
      fcm_priority: androidPriority({ content }),
      payload: { push_key_id: content.keyId, encrypted_data: content.data },
    };
  }
  const { pushType, priority } = apnsUrgency({ content });
  return {
    token_id: tokenId,
    http_headers: { apns_priority: priority, apns_push_type: pushType },
    payload: encryptedApnsPayload(content),
  };
}

/** Texts among the items of a list in an answer; empty for anything else. */
export const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
