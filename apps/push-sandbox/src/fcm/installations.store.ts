import { Injectable } from '@nestjs/common';

/** What an app has registered with Google: its installation id, or a registration token that begins with it. */
export type RegisteredTarget = 'fid' | 'token';

/** The apps that have changed from the one to the other. */
@Injectable()
export class InstallationsStore {
  readonly #registered = new Map<string, RegisteredTarget>();

  /** From now on the app with this installation id has only this target. */
  set(fid: string, registered: RegisteredTarget): void {
    this.#registered.set(fid, registered);
  }

  /** Whether the app of a target has changed to the other kind. */
  isReplaced(target: string): boolean {
    const [fid = ''] = target.split(':', 1);
    const registered = this.#registered.get(fid);
    return registered !== undefined && registered !== (target === fid ? 'fid' : 'token');
  }
}
