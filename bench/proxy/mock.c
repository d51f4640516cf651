// A model vendor that responds at once: JSON; under /sse a stream whose events are written one by one, as vendors write
// them; under /live the same stream with an event every 20 ms. One thread, level-triggered epoll, no pipelining.
//   mock PORT RESPONSE STREAM     two files: the JSON, and the events, each ended by an empty line
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { HEAD = 16 * 1024, READ = 256 * 1024, EVENTS = 1024, SLOTS = 20, READY = 512 };
enum kind { JSON, SSE, LIVE };

struct piece { char *bytes; size_t length; };
struct client {
  int fd;
  char head[HEAD];
  size_t head_length, body_left;
  /* The response in progress: the next piece, and the number of its bytes that have been sent. */
  enum kind kind;
  int answering;
  size_t next, sent;
  int slot;
  struct client *before, *after;
};

static struct piece answer, events[EVENTS];
static size_t event_count;
static struct client *slots[SLOTS];
static int loop, timer, live_count;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) fail(path);
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  char *bytes = malloc(*length + 1);
  if (!bytes || fread(bytes, 1, *length, file) != *length) fail(path);
  bytes[*length] = 0;
  fclose(file);
  return bytes;
}

#define COMMON "HTTP/1.1 200 OK\r\nServer: mock\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nConnection: keep-alive\r\n"

static struct piece piece_of(const char *before, const char *bytes, size_t length, const char *after) {
  struct piece made = {malloc(strlen(before) + length + strlen(after)), strlen(before) + length + strlen(after)};
  if (!made.bytes) fail("malloc");
  memcpy(made.bytes, before, strlen(before));
  memcpy(made.bytes + strlen(before), bytes, length);
  memcpy(made.bytes + strlen(before) + length, after, strlen(after));
  return made;
}

/* Prepares the responses. The first event contains the head of the stream, the last one its end. */
static void prepare(const char *answer_path, const char *stream_path) {
  char head[512];
  size_t length;
  char *text = read_file(answer_path, &length);
  snprintf(head, sizeof head, COMMON "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n", length);
  answer = piece_of(head, text, length, "");
  text = read_file(stream_path, &length);
  for (char *at = text, *end; (end = strstr(at, "\n\n")) && event_count < EVENTS; at = end + 2, event_count++) {
    int is_last = strstr(end + 2, "\n\n") == NULL;
    const char *start = COMMON "Content-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    snprintf(head, sizeof head, "%s%zx\r\n", event_count == 0 ? start : "", (size_t)(end + 2 - at));
    events[event_count] = piece_of(head, at, (size_t)(end + 2 - at), is_last ? "\r\n0\r\n\r\n" : "\r\n");
  }
}

/* Counts the paced streams. The timer runs only while there are any. */
static void count_live(int more) {
  live_count += more;
  long each = live_count == 0 ? 0 : 1000000;
  if (live_count != (more > 0 ? 1 : 0)) return;
  struct itimerspec ticks = {{0, each}, {0, each}};
  timerfd_settime(timer, 0, &ticks, NULL);
}

static void leave_slot(struct client *client) {
  if (client->slot < 0) return;
  count_live(-1);
  if (client->before) client->before->after = client->after;
  else slots[client->slot] = client->after;
  if (client->after) client->after->before = client->before;
  client->slot = -1;
}

static void join_slot(struct client *client) {
  static int turn;
  count_live(1);
  client->slot = turn = (turn + 1) % SLOTS;
  client->before = NULL;
  client->after = slots[client->slot];
  if (client->after) client->after->before = client;
  slots[client->slot] = client;
}

static void drop(struct client *client) {
  leave_slot(client);
  close(client->fd);
  free(client);
}

static void wait_for(struct client *client, uint32_t what) {
  struct epoll_event event = {.events = what, .data.ptr = client};
  if (epoll_ctl(loop, EPOLL_CTL_MOD, client->fd, &event) < 0) fail("epoll_ctl");
}

/* Sends the next pieces of the response, at most `most`. Waits if the socket's send buffer is full. */
static void answer_on(struct client *client, size_t most) {
  size_t count = client->kind == JSON ? 1 : event_count;
  for (; client->next < count && most > 0; most--) {
    struct piece *piece = client->kind == JSON ? &answer : &events[client->next];
    ssize_t sent = send(client->fd, piece->bytes + client->sent, piece->length - client->sent, MSG_NOSIGNAL);
    if (sent > 0) client->sent += (size_t)sent;
    if (client->sent < piece->length) {
      wait_for(client, EPOLLIN | EPOLLOUT);
      return;
    }
    client->next++;
    client->sent = 0;
  }
  if (client->next < count) return;
  leave_slot(client);
  client->answering = 0;
  client->head_length = 0;
}

static void begin_answer(struct client *client) {
  char *path = memchr(client->head, ' ', client->head_length);
  client->kind = !path ? JSON : !strncmp(path, " /sse/", 6) ? SSE : !strncmp(path, " /live/", 7) ? LIVE : JSON;
  client->answering = 1;
  client->next = client->sent = 0;
  if (client->kind == LIVE) join_slot(client);
  answer_on(client, client->kind == LIVE ? 1 : EVENTS);
}

/* Reads the bytes of a request's head or body. Returns -1 if the head is too long. */
static int take(struct client *client, const char *bytes, size_t length) {
  if (client->body_left > 0) {
    client->body_left -= length < client->body_left ? length : client->body_left;
  } else {
    size_t before = client->head_length, room = HEAD - 1 - before, part = length < room ? length : room;
    memcpy(client->head + before, bytes, part);
    client->head_length += part;
    client->head[client->head_length] = 0;
    char *end = strstr(client->head, "\r\n\r\n");
    if (!end) return part < length ? -1 : 1;
    char *announced = strcasestr(client->head, "\r\ncontent-length:");
    size_t body = announced && announced < end ? strtoul(announced + 17, NULL, 10) : 0;
    size_t rest = before + length - (size_t)(end + 4 - client->head);
    client->body_left = rest < body ? body - rest : 0;
  }
  if (client->body_left == 0) begin_answer(client);
  return 1;
}

static void accept_client(int server) {
  int fd = accept4(server, NULL, NULL, SOCK_NONBLOCK), on = 1;
  if (fd < 0) return;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  struct client *client = calloc(1, sizeof *client);
  if (!client) fail("calloc");
  client->fd = fd;
  client->slot = -1;
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
  if (epoll_ctl(loop, EPOLL_CTL_ADD, fd, &event) < 0) fail("epoll_ctl");
}

static void serve(struct client *client, uint32_t what) {
  static char bytes[READ];
  if (what & EPOLLOUT) {
    wait_for(client, EPOLLIN);
    answer_on(client, client->kind == LIVE ? 1 : EVENTS);
  }
  if (!(what & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
  ssize_t length = recv(client->fd, bytes, READ, 0);
  if (length <= 0 || client->answering || take(client, bytes, (size_t)length) < 0) drop(client);
}

/* Continues the paced streams of the next slot. They are in slots, so that not all of them send at the same moment. */
static void tick(void) {
  static int turn;
  uint64_t times;
  if (read(timer, &times, sizeof times) < 0) return;
  for (; times > 0; times--) {
    turn = (turn + 1) % SLOTS;
    for (struct client *client = slots[turn], *after; client; client = after) {
      after = client->after;
      answer_on(client, 1);
    }
  }
}

static int listen_on(int port) {
  int server = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(server, (struct sockaddr *)&address, sizeof address) < 0 || listen(server, 4096) < 0) fail("listen");
  return server;
}

int main(int count, char **arguments) {
  if (count != 4) return 2;
  prepare(arguments[2], arguments[3]);
  int server = listen_on(atoi(arguments[1]));
  timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  loop = epoll_create1(0);
  struct epoll_event ready[READY] = {{.events = EPOLLIN, .data.ptr = &server}, {.events = EPOLLIN, .data.ptr = &timer}};
  if (epoll_ctl(loop, EPOLL_CTL_ADD, server, &ready[0]) < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, timer, &ready[1]) < 0)
    fail("epoll_ctl");
  for (;;) {
    int found = epoll_wait(loop, ready, READY, -1);
    for (int index = 0; index < found; index++) {
      void *whose = ready[index].data.ptr;
      if (whose == &server) accept_client(server);
      else if (whose == &timer) tick();
      else serve(whose, ready[index].events);
    }
  }
}
