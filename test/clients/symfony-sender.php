<?php
// Sends a message with the notifier bridge of Symfony: HOST PORT EMAIL KEY CHANNEL, and the message as JSON on standard input.
// The bridge sends to https://HOST. Its HTTP client is wrapped, since the gateway of a test has no certificate.

require '/usr/share/php/Symfony/Component/Notifier/Bridge/Zulip/autoload.php';

use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\Notifier\Bridge\Zulip\ZulipOptions;
use Symfony\Component\Notifier\Bridge\Zulip\ZulipTransport;
use Symfony\Component\Notifier\Exception\TransportException;
use Symfony\Component\Notifier\Message\ChatMessage;
use Symfony\Contracts\HttpClient\HttpClientInterface;
use Symfony\Contracts\HttpClient\ResponseInterface;
use Symfony\Contracts\HttpClient\ResponseStreamInterface;

$plain = new class(HttpClient::create()) implements HttpClientInterface {
    private $inner;

    public function __construct(HttpClientInterface $inner)
    {
        $this->inner = $inner;
    }

    public function request(string $method, string $url, array $options = []): ResponseInterface
    {
        return $this->inner->request($method, str_replace('https://', 'http://', $url), $options);
    }

    public function stream($responses, ?float $timeout = null): ResponseStreamInterface
    {
        return $this->inner->stream($responses, $timeout);
    }

    public function withOptions(array $options): self
    {
        return $this;
    }
};

[, $host, $port, $email, $key, $channel] = $argv;
$given = json_decode(stream_get_contents(STDIN), true);
$transport = (new ZulipTransport($email, $key, $channel, $plain))->setHost($host)->setPort((int) $port);
$options = new ZulipOptions($given['topic'] ?? null, $given['recipient'] ?? null);
try {
    echo $transport->send(new ChatMessage($given['content'], $options))->getMessageId(), "\n";
} catch (TransportException $refusal) {
    echo $refusal->getMessage(), "\n";
}
