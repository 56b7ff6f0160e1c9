/**
 * A conversation: a channel (all its topics) or a direct conversation. `key` identifies it; the ids of a direct
 * conversation are those of the other members.
 */
export const channelPlace = (channelId) => ({ key: `channel ${channelId}`, channelId });
export const directPlace = (userIds) => {
  const ids = userIds.toSorted((one, other) => one - other);
  return { key: `direct ${ids.join(',')}`, userIds: ids };
};

/** The state of an organisation for one account: the response of `POST /register`, changed by events. */
export class ChatState {
  constructor(state) {
    this.userId = state.user_id;
    this.offlineSeconds = state.server_presence_offline_threshold_seconds;
    this.typingExpiryMs = state.server_typing_started_expiry_period_milliseconds;
    this.people = new Map(
      [...state.realm_users, ...state.cross_realm_bots].map((user) => [user.user_id, user]),
    );
    this.channels = new Map(state.subscriptions.map((channel) => [channel.stream_id, channel]));
    this.presences = new Map(
      Object.entries(state.presences).map(([id, presence]) => [Number(id), presence]),
    );
    this.direct = new Map();
    for (const { user_ids: ids } of state.recent_private_conversations) this.addDirect(ids);
    /** Ids of unread messages, with the key of their conversation. */
    this.unread = new Map();
    this.#readUnread(state.unread_msgs);
  }

  #readUnread({ streams, pms, huddles }) {
    const add = (ids, { key }) => ids.forEach((id) => this.unread.set(id, key));
    for (const one of streams) add(one.unread_message_ids, channelPlace(one.stream_id));
    for (const one of pms) {
      add(one.unread_message_ids, directPlace(this.#others([one.other_user_id])));
    }
    for (const one of huddles) {
      const ids = one.user_ids_string.split(',').map(Number);
      add(one.unread_message_ids, directPlace(this.#others(ids)));
    }
  }

  #others(ids) {
    return ids.filter((id) => id !== this.userId);
  }

  addDirect(userIds) {
    const place = directPlace(userIds);
    if (!this.direct.has(place.key)) this.direct.set(place.key, place);
    return place;
  }

  placeOf(message) {
    if (message.type === 'stream') return channelPlace(message.stream_id);
    return directPlace(this.#others(message.display_recipient.map(({ id }) => id)));
  }

  unreadIn({ key }) {
    return [...this.unread].filter(([, place]) => place === key).map(([id]) => id);
  }

  nameOf(userId) {
    return this.people.get(userId)?.full_name ?? 'Unknown user';
  }

  /** `active`, `idle` or `offline`. */
  presenceOf(userId, nowSeconds) {
    const { active_timestamp: active = 0, idle_timestamp: idle = 0 } =
      this.presences.get(userId) ?? {};
    if (nowSeconds - active < this.offlineSeconds) return 'active';
    return nowSeconds - idle < this.offlineSeconds ? 'idle' : 'offline';
  }

  addPresences(presences) {
    for (const [id, presence] of Object.entries(presences)) {
      this.presences.set(Number(id), presence);
    }
  }

  /** Applies the events that change this state; others are ignored. */
  apply(event) {
    const change = {
      message: () => this.#add(event),
      delete_message: () => event.message_ids.forEach((id) => this.unread.delete(id)),
      update_message_flags: () => this.#changeFlags(event),
      presence: () => {
        if (event.presences === undefined) {
          this.presences.set(event.user_id, newestOf(event.presence));
        } else this.addPresences(event.presences);
      },
      subscription: () => this.#changeSubscriptions(event),
      realm_user: () => this.#changePerson(event),
    }[event.type];
    change?.();
  }

  #add({ message, flags }) {
    const place = this.placeOf(message);
    if (place.userIds !== undefined) this.addDirect(place.userIds);
    if (!flags.includes('read')) this.unread.set(message.id, place.key);
  }

  #changeFlags({ op, flag, messages, all, message_details: details = {} }) {
    if (flag !== 'read') return;
    if (op === 'add') {
      if (all) this.unread.clear();
      for (const id of messages) this.unread.delete(id);
      return;
    }
    for (const id of messages) {
      const { stream_id: channelId, user_ids: userIds } = details[id];
      const place = channelId === undefined ? directPlace(userIds) : channelPlace(channelId);
      this.unread.set(id, place.key);
    }
  }

  #changeSubscriptions({ op, subscriptions = [], stream_id: id, property, value }) {
    if (op === 'add') subscriptions.forEach((one) => this.channels.set(one.stream_id, one));
    if (op === 'remove') subscriptions.forEach((one) => this.channels.delete(one.stream_id));
    if (op === 'update' && this.channels.has(id)) this.channels.get(id)[property] = value;
  }

  #changePerson({ op, person }) {
    if (op === 'remove') this.people.delete(person.user_id);
    else this.people.set(person.user_id, { ...this.people.get(person.user_id), ...person });
  }
}

/** The older form of a presence event has a status for each client. */
function newestOf(presence) {
  const [{ status, timestamp }] = Object.values(presence);
  return {
    active_timestamp: status === 'active' ? timestamp : 0,
    idle_timestamp: timestamp,
  };
}
