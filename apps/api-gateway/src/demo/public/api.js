/** An error that the gateway answered. */
export class ApiError extends Error {
  constructor(body) {
    super(body.msg);
    this.code = body.code;
  }
}

const REGISTRATION = {
  apply_markdown: true,
  client_gravatar: true,
  slim_presence: true,
  client_capabilities: {
    bulk_message_deletion: true,
    empty_topic_name: true,
    stream_typing_notifications: true,
    notification_settings_null: true,
    user_settings_object: true,
  },
  fetch_event_types: [
    'message',
    'presence',
    'realm',
    'realm_user',
    'recent_private_conversations',
    'subscription',
    'update_message_flags',
  ],
};

/** Shown when there is no answer. */
export const AWAY = 'The gateway does not answer. Is it running?';

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The API as one account. */
export class Api {
  #authorization;

  constructor({ email, api_key: key }) {
    this.#authorization = `Basic ${btoa(`${email}:${key}`)}`;
  }

  /** Sends a request; a value other than a text is sent as JSON. Throws ApiError for an error of the gateway. */
  async send(method, path, parameters = {}, { signal } = {}) {
    const fields = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      fields.set(name, typeof value === 'string' ? value : JSON.stringify(value));
    }
    const isQuery = method === 'GET';
    let body;
    try {
      const response = await fetch(`/api/v1${path}${isQuery ? `?${fields}` : ''}`, {
        method,
        signal,
        headers: { Authorization: this.#authorization },
        ...(!isQuery && { body: fields }),
      });
      body = await response.json();
    } catch {
      throw new Error(AWAY);
    }
    if (body.result !== 'success') throw new ApiError(body);
    return body;
  }

  /**
   * Calls `onState` with each new state and `onEvents` with the events after it, until the signal aborts. Registers again
   * when the queue is gone. Ends with an error when the account is refused.
   */
  async follow({ onState, onEvents, onTrouble, signal }) {
    let queue = null;
    while (!signal.aborted) {
      try {
        if (queue === null) {
          const state = await this.send('POST', '/register', REGISTRATION, { signal });
          queue = { queue_id: state.queue_id, last_event_id: state.last_event_id };
          await onState(state);
        }
        const { events } = await this.send('GET', '/events', queue, { signal });
        queue.last_event_id = Math.max(queue.last_event_id, ...events.map(({ id }) => id));
        onEvents(events.filter(({ type }) => type !== 'heartbeat'));
      } catch (error) {
        if (signal.aborted) break;
        if (error.code === 'BAD_EVENT_QUEUE_ID') queue = null;
        else if (error.code === 'UNAUTHORIZED') throw error;
        else {
          onTrouble(error);
          await pause(2000);
        }
      }
    }
    if (queue !== null) await this.send('DELETE', '/events', { queue_id: queue.queue_id });
  }
}
