/* Dates and times. */

static _Bool is_leap_year(short year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(unsigned short year, unsigned char month) {
    static const unsigned char days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    month %= 12;
    return days[month] + (month == 1 && (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)));
}

static int day_of_week(unsigned short year, unsigned char month, unsigned char day) {
    long y = year % 4000L + 1, m = month % 12 + 1, d = day % 28 + 1;
    if (m < 3) {
        m += 12;
        y--;
    }
    return (int)((d + 13 * (m + 1) / 5 + y + y / 4 - y / 100 + y / 400) % 7);
}

static long day_number(short year, unsigned char month, unsigned char day) {
    long y = year, era;
    unsigned long of_era, of_year;
    month = month % 12 + 1;
    y -= month <= 2;
    era = (y >= 0 ? y : y - 399) / 400;
    of_era = (unsigned long)(y - era * 400);
    of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day % 28;
    return era * 146097 + (long)(of_era * 365 + of_era / 4 - of_era / 100 + of_year) - 719468;
}

static int easter_day(unsigned char offset) {
    int year = 1900 + offset, a = year % 19, b = year / 100, c = year % 100;
    int h = (19 * a + b - b / 4 - (b - (b + 8) / 25 + 1) / 3 + 15) % 30;
    int l = (32 + 2 * (b % 4) + 2 * (c / 4) - h - c % 4) % 7;
    return h + l - 7 * ((a + 11 * h + 22 * l) / 451) + 22;
}

static int minutes_between(unsigned short from, unsigned short to) {
    int start = from % 1440, end = to % 1440;
    if (end < start)
        end += 1440;
    return end - start;
}
