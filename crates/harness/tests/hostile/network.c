/* Connects to the port of this machine that it is given. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

int main(int count, char **arguments)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_port = htons(atoi(arguments[count - 1]));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    puts(fd >= 0 && connect(fd, (void *)&address, sizeof address) == 0 ? "connected" : "refused");
    return 0;
}
