import { Injectable } from '@nestjs/common';
import { type CapabilityEvents, DeclaresEvents, type StateRequest } from '#events/declarations';

/** The members of features that Carillon does not have, by fetch type. They never change, so they have no events. */
const constants: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  default_stream_groups: { realm_default_stream_groups: [] },
  giphy: { giphy_api_key: '' },
  navigation_views: { navigation_views: [] },
  onboarding_steps: { onboarding_steps: [] },
  realm_domains: { realm_domains: [] },
  realm_embedded_bots: { realm_embedded_bots: [] },
  realm_filters: { realm_filters: [] },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: [] },
  reminders: { reminders: [] },
  stop_words: { stop_words: [] },
};

/** The state of features that Carillon does not have: clients read these members without a check. */
@Injectable()
@DeclaresEvents()
export class ConstantState implements CapabilityEvents {
  readonly types = [];
  readonly fetchTypes = Object.keys(constants);

  readState({ wants }: StateRequest): Promise<Readonly<Record<string, unknown>>> {
    const wanted = Object.entries(constants).flatMap(([type, members]) =>
      wants(type) ? [members] : [],
    );
    return Promise.resolve(Object.assign({}, ...wanted) as Record<string, unknown>);
  }
}
